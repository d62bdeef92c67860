"""Verses, their gold links, and three measures of an alignment, the last one by hand as Och and Ney define it."""

import pytest
import torch

from attend.tasks import verses
from attend.tasks.split import PARTS, part_of


def all_verses():
    return [verse for part in PARTS for verse in verses.load(part)]


def links(*places, T=3, S=4):
    table = torch.zeros(1, T, S, dtype=torch.bool)
    for t, s in places:
        table[0, t, s] = True
    return table


def test_every_verse_stands_in_one_part_with_its_whole_chapter():
    names = [verse.name for verse in all_verses()]
    assert len(names) == len(set(names)) == 3_768
    assert {name.split(" ")[0] for name in names} == {"Matthew", "Mark", "Luke", "John"}
    for part in PARTS:
        assert verses.load(part)
        assert all(part_of(verse.name.split(":")[0]) == part for verse in verses.load(part))


def test_links_name_words_that_are_there():
    for verse in all_verses():
        assert len(verse.links) == len(verse.english)
        assert all(0 <= s < len(verse.greek) for places in verse.links for s in places)
    assert sum(len(places) for verse in all_verses() for places in verse.links) == 87_124


def test_a_verse_by_name_and_what_it_says():
    rooster = verses.find("John 18:27")
    assert rooster.english[8] == "rooster"
    assert [rooster.greek[s] for s in rooster.links[8]] == ["ἀλέκτωρ"]
    with pytest.raises(ValueError, match=r"name: got 'John 99:1'"):
        verses.find("John 99:1")


def test_plain_words_have_neither_accents_nor_capitals():
    assert [verses.plain(word) for word in ("Λόγος", "λόγον", "ᾧ", "God’s")] == ["λογοσ", "λογον", "ω", "god’s"]


@pytest.mark.nightly
def test_the_vocabulary_holds_the_most_frequent_training_words():
    greek, english = (verses.vocabulary(language, 50) for language in verses.LANGUAGES)
    assert greek[:2] == english[:2] == (".", "…")
    assert {"και", "ο", "αυτου"} < set(greek)
    assert {"the", "and", "jesus"} < set(english)
    assert verses.vocabulary("greek", 10) == greek[:10]
    everything = verses.vocabulary("english", 10**6)
    assert len(everything) - 2 == len({verses.plain(w) for verse in verses.load("train") for w in verse.english})
    with pytest.raises(ValueError, match="language: got 'latin'"):
        verses.vocabulary("latin", 10)


def test_encoded_verses_end_with_end_and_gold_links_stand_in_their_places():
    one = verses.Verse("a", ("Βίβλος", "Ἰησοῦ"), ("book", "of", "zebras"), ((0,), (0, 1), ()))
    two = verses.Verse("b", ("Ἰησοῦ",), ("zebras",), ((0,),))
    pairs = verses.encode((one, two), (".", "…", "ιησου", "βιβλοσ"), (".", "…", "of", "book"))
    assert pairs.source.tolist() == [[3, 2, 0], [2, 0, 0]]
    assert pairs.mask.tolist() == [[True] * 3, [True, True, False]]
    assert pairs.target.tolist() == [[3, 2, 1, 0], [1, 0, 0, 0]]
    assert pairs.asked.tolist() == [[True] * 4, [True, True, False, False]]
    assert verses.gold((one, two)).nonzero().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]]


def test_each_word_chooses_one_place_and_looking_at_the_end_chooses_none():
    one = verses.Verse("a", ("Βίβλος", "Ἰησοῦ"), ("book", "of", "zebras"), ((0,), (0, 1), ()))
    pairs = verses.encode((one,), (".", "…"), (".", "…"))
    weights = torch.tensor([[[0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [1.0, 0.0, 0.0]]])
    assert verses.chosen(weights, pairs).nonzero().tolist() == [[0, 0, 1], [0, 1, 0]]
    with pytest.raises(ValueError, match="weights: got"):
        verses.chosen(weights[:, :3], pairs)


def test_precision_recall_and_error_by_hand():
    found, sure = links((0, 0), (1, 1), (2, 2)), links((0, 0), (1, 2))
    assert verses.precision(found, sure) == pytest.approx(1 / 3)
    assert verses.recall(found, sure) == pytest.approx(1 / 2)
    assert verses.alignment_error_rate(found, sure) == pytest.approx(1 - 2 / 5)
    possible = links((1, 1))
    assert verses.alignment_error_rate(found, sure, possible) == pytest.approx(1 - (1 + 2) / (3 + 2))
    assert verses.alignment_error_rate(sure, sure) == 0
    assert verses.alignment_error_rate(links(), sure) == 1


def test_the_error_is_one_minus_the_f_score_when_all_links_are_sure():
    generator = torch.Generator().manual_seed(0)
    found, sure = (torch.rand(5, 6, 7, generator=generator) < share for share in (0.2, 0.4))
    p, r = verses.precision(found, sure), verses.recall(found, sure)
    assert verses.alignment_error_rate(found, sure) == pytest.approx(1 - 2 * p * r / (p + r), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: verses.load("all"), "part: got 'all'"),
        (lambda: verses.plain(""), "word: got ''"),
        (lambda: verses.vocabulary("greek", 2), "V: got 2"),
        (lambda: verses.encode((), (".", "…"), (".", "…")), "verses: got"),
        (lambda: verses.encode(verses.load("test"), (".",), (".", "…")), "greek: got"),
        (lambda: verses.precision(links(), links((0, 0))), "found: got"),
        (lambda: verses.recall(links((0, 0)), links()), "sure: got"),
        (lambda: verses.alignment_error_rate(links((0, 0)), links()), "sure: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    VERSE = verses.Verse("a", ("Βίβλος", "Ἰησοῦ"), ("book", "of"), ((0,), (0, 1)))
    WORDS = (".", "…", "of")
    PAIRS = verses.encode((VERSE,), WORDS, WORDS)
    LINKS = torch.ones(1, 3, 3, dtype=torch.bool)
    return {
        verses.load: {"part": "validation"},
        verses.find: {"name": "Mark 4:3"},
        verses.plain: {"word": "Λόγος"},
        verses.vocabulary: {"language": "greek", "V": 5},
        verses.frequent: {"verses": (VERSE,), "language": "greek", "V": 5},
        verses.encode: {"verses": (VERSE,), "greek": WORDS, "english": WORDS},
        verses.gold: {"verses": (VERSE,)},
        verses.chosen: {"weights": torch.ones(1, 3, 3), "pairs": PAIRS},
        verses.precision: {"found": LINKS, "possible": LINKS},
        verses.recall: {"found": LINKS, "sure": LINKS},
        verses.alignment_error_rate: {"found": LINKS, "sure": LINKS, "possible": LINKS},
    }


def good():
    return {
        verses.plain: {"word": {"word"}},
    }
