"""Tokens are learned by count and agree with tiktoken's; every text comes back."""

import pytest
import tiktoken

from attend.tasks import plays, snippets
from attend.transformers.byte_pairs import BytePairs, join, learn, pattern

TEXT = "low low low lower lowest newer newer"


def calls():
    """A valid call of each public function: the house tests break every argument of it."""
    made = BytePairs(learn(TEXT, 260))
    return {
        join: {"parts": [b"a", b"b"], "new": b"ab"},
        learn: {"text": TEXT, "vocab_size": 258},
        BytePairs: {"vocab": made.vocab},
        made.encode: {"text": "low"},
        made.decode: {"tokens": [104, 105]},
    }


def good():
    """Any text can be cut, and any parts joined."""
    made = BytePairs(learn(TEXT, 260))
    return {learn: {"text": {"word"}}, made.encode: {"text": {"word"}}}


def test_the_most_frequent_pair_comes_first():
    assert TEXT.count("ow") == TEXT.count("lo") == 5 > TEXT.count(" l") == 4
    assert learn(TEXT, 259)[256:] == [b"ow", b"low", b" low"]
    assert learn("ac ac ac ab", 257)[256:] == [b"ac"]


def test_join_goes_from_the_left_and_joins_nothing_twice():
    a = b"a"
    assert join([a, a, a], b"aa") == [b"aa", a]
    assert join([a, a, a, a], b"aa") == [b"aa", b"aa"]
    assert join([a, b"b"], b"ba") == [a, b"b"]


NIGHTLY = [pytest.param(size, marks=pytest.mark.nightly) for size in (256, 300, 450)]


@pytest.mark.parametrize("size", [270, *NIGHTLY])
def test_the_same_tokens_as_tiktoken(size):
    ours = BytePairs(learn("\n".join(snippets.load("validation")), size))
    theirs = tiktoken.Encoding("ours", pat_str=pattern(), mergeable_ranks=ours.rank, special_tokens={})
    odd = [
        "",
        " ",
        "  two  spaces\n\n",
        "naïve café – 12,5 %",
        "日本語 🙂",
        "aaaaaaaaaaaaa",
        plays.scenes("test")[0].text,
    ]
    for text in (*snippets.load("test"), *odd):
        tokens = ours.encode(text)
        assert tokens == theirs.encode(text)
        assert ours.decode(tokens) == text


def test_no_token_reaches_across_words_and_bytes_alone_suffice():
    ours = BytePairs(learn("ab ab ab", 257))
    assert ours.encode("日") == [0xE6, 0x97, 0xA5]
    assert ours.decode([0xE6, 0x97]) == "�"
    assert all(b" " not in part[1:] for part in learn(TEXT, 265)[256:])


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="vocab_size: got 255"):
        learn(TEXT, 255)
    with pytest.raises(ValueError, match="vocab_size: got 1000, expected at most 268"):
        learn(TEXT, 1000)
    with pytest.raises(ValueError, match="vocab"):
        BytePairs([b"a", b"b"])
    with pytest.raises(ValueError, match="tokens"):
        BytePairs(learn(TEXT, 256)).decode([256])
