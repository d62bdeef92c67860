"""Vocabularies beside the embeddings of a model; a number and a last token that a figure may start with."""

import pytest
import torch

from attend.live.bilingual import bilingual, vocabularies

ENGLISH, GERMAN = ("and", "one"), ("end", "eins", "zwei")
ROWS = {"embed_source.weight": torch.ones(2, 5), "embed_target.weight": torch.ones(3, 5)}


def test_what_fits_is_carried_as_plain_json():
    vocabularies(ROWS, ENGLISH, GERMAN)
    made = bilingual(ENGLISH, GERMAN, number=10**15 - 1, end=2)
    assert made == {"english": ["and", "one"], "german": ["end", "eins", "zwei"], "number": 10**15 - 1, "end": 2}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: vocabularies(ROWS, ENGLISH, GERMAN[:1]),
            "german: got '1 words' .* 3 words, one for",
        ),
        (lambda: vocabularies({}, ENGLISH, GERMAN), "english: got '2 words' .* 0 words"),
        (
            lambda: bilingual(ENGLISH, GERMAN, 10**15, 0),
            "number: got 1000000000000000 .* to 999,999,999,999,999",
        ),
        (lambda: bilingual(ENGLISH, GERMAN, 100, 0, most=99), "number: got 100 .* from 0 to 99"),
        (lambda: bilingual(ENGLISH, GERMAN, -1, 0), "number: got -1"),
        (lambda: bilingual(ENGLISH, GERMAN, 1, 3), "end: got 3 .* a token of `german`"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    WORDS = {"english": ["and", "one", "two"], "german": ["end", "eins", "zwei", "drei"]}
    ROWS = {"embed_source.weight": torch.ones(3, 2), "embed_target.weight": torch.ones(4, 2)}
    return {
        vocabularies: {"tensors": ROWS, **WORDS},
        bilingual: {**WORDS, "number": 12, "end": 1, "most": 99},
    }


def good():
    return {
        bilingual: {"number": {"zero"}, "end": {"zero"}},
    }
