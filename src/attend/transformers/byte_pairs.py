"""A tokeniser that learns its tokens: byte pair encoding, as GPT-2 has it, from the counts to the decoded text.

Source   Gage 1994; Sennrich et al. 2016, arXiv:1508.07909 (for words); Radford et al. 2019 (over bytes, inside words).
Departs  words are cut by a shorter pattern than GPT-2's; pairs that spell the same, a + bc and ab + c, count together;
         of equally frequent pairs the last in order is taken.
Agrees   tiktoken, given the same vocabulary and pattern, token by token (tests/transformers/test_byte_pairs.py).
"""

import re
from collections import Counter
from itertools import pairwise

from attend.core.expect import checked, expect


# Listings have at most 76 columns once annotations are gone.
# fmt: off
def pattern() -> str:
    """Words with the space before them, digits, other signs, white space; no token reaches across."""
    return r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+"


@checked
def join(parts: list, new: bytes) -> list:
    """`parts`, bytes each, with every two neighbours that make `new` joined, from the left."""
    joined = []
    for part in parts:
        if joined and joined[-1] + part == new:
            joined[-1] = new
        else:
            joined.append(part)
    return joined


@checked
def learn(text: str, vocab_size: int) -> list[bytes]:
    """The vocabulary for `text`: the 256 bytes, and then whatever two neighbours were most frequent, one by one.

    Raises ValueError for fewer than 256 tokens, and for more than the text has pairs for.
    """
    expect(vocab_size >= 256, "vocab_size", vocab_size, "256 or more, one for every byte")
    counts = Counter(re.findall(pattern(), text))
    words = {word.encode(): [bytes([b]) for b in word.encode()]
             for word in counts}
    counts = {word.encode(): n for word, n in counts.items()}
    pairs = Counter()

    def tally(word: bytes, sign: int) -> None:
        for a, b in pairwise(words[word]):
            pairs[a + b] += sign * counts[word]     # by what they spell

    for word in words:
        tally(word, +1)
    vocab = [bytes([b]) for b in range(256)]
    while len(vocab) < vocab_size:
        new = max(pairs, default=b"",
                  key=lambda pair: (pairs[pair], pair))
        if pairs[new] == 0:
            raise ValueError(f"vocab_size: got {vocab_size}, expected at "
                             f"most {len(vocab)}: each word is one token")
        for word in words:
            if new in word:                     # else nothing changes
                tally(word, -1)
                words[word] = join(words[word], new)
                tally(word, +1)
        vocab.append(new)
    return vocab


class BytePairs:
    """Text to tokens and back, by a vocabulary that `learn` made; a token is a place in it."""

    @checked
    def __init__(self, vocab: list[bytes]):
        expect(vocab[:256] == [bytes([b]) for b in range(256)], "vocab", vocab[:256], "the 256 bytes first")
        expect(len(set(vocab)) == len(vocab), "vocab", len(vocab), "no token twice")
        self.vocab = vocab
        self.rank = {part: token for token, part in enumerate(vocab)}
        self.known = {}                             # words met before

    @checked
    def encode(self, text: str) -> list[int]:
        """The tokens of `text`: of all neighbours that make a token, the one learned first is joined first."""
        return [token for word in re.findall(pattern(), text)
                for token in self._word(word)]

    def _word(self, word: str) -> list[int]:
        if word not in self.known:
            parts = [bytes([b]) for b in word.encode()]
            while True:
                found = [self.rank[a + b] for a, b in pairwise(parts)
                         if a + b in self.rank]
                if not found:
                    break
                parts = join(parts, self.vocab[min(found)])
            self.known[word] = [self.rank[part] for part in parts]
        return self.known[word]

    @checked
    def decode(self, tokens: list[int]) -> str:
        """The text of `tokens`; bytes that are no whole character become �. Raises ValueError for an unknown token."""
        expect(all(0 <= token < len(self.vocab) for token in tokens), "tokens", tokens, f"0 to {len(self.vocab) - 1}")
        return b"".join(self.vocab[token] for token in tokens).decode(
            errors="replace")
