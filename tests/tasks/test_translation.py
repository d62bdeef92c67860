import pytest
import torch

from attend.tasks import numbers, translation
from attend.tasks.translation import END, ENGLISH, GERMAN, NOWHERE

SAMPLE = (*range(0, 1_200, 7), *range(1_200, 10**7, 777_777), *range(10**7, 10**15, 12_345_678_912_345))
SAYS = {
    "one": "ein eins eine",
    "two": "zwei",
    "three": "drei",
    "four": "vier",
    "five": "fünf",
    "six": "sechs",
    "seven": "sieben",
    "eight": "acht",
    "nine": "neun",
    "ten": "zehn",
    "eleven": "elf",
    "twelve": "zwölf",
    "thirteen": "drei zehn",
    "fourteen": "vier zehn",
    "fifteen": "fünf zehn",
    "sixteen": "sech zehn",
    "seventeen": "sieb zehn",
    "eighteen": "acht zehn",
    "nineteen": "neun zehn",
    "twenty": "zwanzig",
    "thirty": "dreißig",
    "forty": "vier zig",
    "fifty": "fünf zig",
    "sixty": "sech zig",
    "seventy": "sieb zig",
    "eighty": "acht zig",
    "ninety": "neun zig",
    "hundred": "hundert",
    "thousand": "tausend",
    "million": "million millionen",
    "billion": "milliarde milliarden",
    "trillion": "billion billionen",
    "zero": "null",
}


def test_one_number_by_hand():
    pairs = translation.encode((1_042, 7))
    assert [ENGLISH[token] for token in pairs.source[0]] == ["one", "thousand", "and", "forty", "two"]
    assert translation.spell(pairs.target[0]) == "ein·tausend·zwei·und·vier·zig"
    assert translation.origins((1_042, 7)).tolist() == [[0, 1, 4, NOWHERE, 3, 3, NOWHERE], [0] + [NOWHERE] * 6]
    assert pairs.target[1].tolist() == [GERMAN.index("sieben")] + [END] * 6
    assert pairs.asked[1].tolist() == [True, True] + [False] * 5
    back = translation.encode((1_042,), reverse=True)
    assert torch.equal(back.source.flip(1)[0], pairs.source[0])


def test_sparse_numbers_are_of_every_length_and_of_one_part():
    of = translation.sparse("train", 400)
    assert max(of) < 10**12
    empty = [group == "000" for n in of for group in (f"{n:012d}"[i : i + 3] for i in (0, 3, 6, 9))]
    assert 0.4 < sum(empty) / len(empty) < 0.6
    assert any(len(numbers.english(n)) < 4 and n > 10**9 for n in of)
    assert not {*of} & {*translation.sparse("test", 400)}


def test_every_word_says_what_a_dictionary_has_for_it():
    for n in SAMPLE:
        english, german = numbers.english(n), numbers.german(n)
        origin = translation.origins((n,))[0].tolist()
        assert len(origin) == len(german) + 1
        assert origin[-1] == NOWHERE
        assert all((piece == "und") == (place == NOWHERE) for piece, place in zip(german, origin, strict=False))
        assert {place for place in origin if place != NOWHERE} == {i for i, w in enumerate(english) if w != "and"}
        for place, word in enumerate(english):
            said = [piece for piece, from_ in zip(german, origin, strict=False) if from_ == place]
            assert word == "and" or " ".join(said) == SAYS[word] or said[0] in SAYS[word].split()


def test_the_pieces_are_the_whole_word_and_all_are_in_the_vocabularies():
    pairs = translation.encode(SAMPLE)
    assert pairs.source[pairs.mask].max() == len(ENGLISH) - 1
    assert pairs.target[pairs.asked].max() == len(GERMAN) - 1


def test_the_right_word_is_where_the_largest_weight_stands():
    weights = torch.tensor([[[0.1, 0.9], [0.6, 0.4], [0.5, 0.5]]])
    assert translation.on_the_right_word(weights, torch.tensor([[1, 1, NOWHERE]])).tolist() == [True, False]


def test_words_become_tokens_and_unknown_ones_are_refused():
    assert translation.tokens(("forty", "two")).tolist() == [ENGLISH.index("forty"), ENGLISH.index("two")]
    with pytest.raises(ValueError, match=r"words: got \['umpteen'\]"):
        translation.tokens(("forty", "umpteen"))
    with pytest.raises(ValueError, match="words: got"):
        translation.tokens(())


def calls():
    WORDS = torch.tensor([[1, 0, 3], [2, 1, 0]])
    return {
        translation.sparse: {"part": "test", "most": 20},
        translation.tokens: {"words": ("forty", "two")},
        translation.encode: {"of": (7, 42), "reverse": True},
        translation.origins: {"of": (7, 42)},
        translation.on_the_right_word: {"weights": torch.ones(2, 3, 4), "origin": WORDS},
        translation.spell: {"written": torch.tensor([1, 2])},
    }
