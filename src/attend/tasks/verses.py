"""Translation with the links drawn by people: verses of the four gospels, Greek and English, aligned word by word.

What is asked of a model is the alignment, the Greek words that each English word stands for, and not only the
translation. Both rows end with END, so that a word that answers to nothing has a place to look at.
"""

import bz2
import unicodedata
from collections import Counter
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.data import path
from attend.tasks.pairs import Pairs, padded
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/gospels.tsv.bz2",)
END, UNKNOWN = 0, 1
"""The token after the last word of a verse, and that of every word that a vocabulary lacks."""
LANGUAGES = ("greek", "english")


class Verse(NamedTuple):
    """A verse in two languages; `links` holds for each English word the places (from 0) of its Greek words."""

    name: str
    greek: tuple[str, ...]
    english: tuple[str, ...]
    links: tuple[tuple[int, ...], ...]


@checked
@cache
def load(part: str) -> tuple[Verse, ...]:
    """The verses of one part ("train", "validation" or "test"), in the order of the file. A chapter stays whole."""
    wanted = known_part(part)
    return tuple(verse for verse in _all() if part_of(verse.name.split(":")[0]) == wanted)


@cache
def _all() -> tuple[Verse, ...]:
    rows = (line.split("\t") for line in bz2.decompress(path("gospels.tsv.bz2").read_bytes()).decode().splitlines())
    return tuple(Verse(name, tuple(g.split()), tuple(e.split()), _places(at)) for name, g, e, at in rows)


def _places(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(() if at == "-" else tuple(map(int, at.split(","))) for at in text.split())


@checked
def find(name: str) -> Verse:
    """The verse of that name: `find("Mark 4:3")`. Raises ValueError where there is none."""
    found = [verse for verse in _all() if verse.name == name]
    expect(len(found) == 1, "name", name, 'a verse of the four gospels, such as "Mark 4:3"')
    return found[0]


@checked
def plain(word: str) -> str:
    """The word in small letters without accents, as the vocabularies hold it: Λόγος and λόγον become λογοσ, λογον."""
    expect(len(word) > 0, "word", word, "a word")
    return _plain(word)


def _plain(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)).casefold()


@checked
@cache
def vocabulary(language: str, V: int) -> tuple[str, ...]:
    """The V - 2 most frequent words of the training verses, after "." (END) and "…" (UNKNOWN)."""
    return frequent(load("train"), language, V)


@checked
def frequent(verses: tuple[Verse, ...], language: str, V: int) -> tuple[str, ...]:
    """The V - 2 most frequent words of some verses, after "." (END) and "…" (UNKNOWN); fewer where there are fewer."""
    expect(len(verses) > 0, "verses", verses, "at least one verse")
    expect(language in LANGUAGES, "language", language, f"one of {', '.join(LANGUAGES)}")
    expect(V > 2, "V", V, "a whole number above 2")
    counts = Counter(_plain(word) for verse in verses for word in getattr(verse, language))
    return (".", "…", *(word for word, _ in counts.most_common(V - 2)))


@checked
def encode(verses: tuple[Verse, ...], greek: tuple[str, ...], english: tuple[str, ...]) -> Pairs:
    """The verses as tokens of the two vocabularies: Greek is the source, English the target; each ends with END."""
    expect(len(verses) > 0, "verses", verses, "at least one verse")
    columns = []
    for language, words in (("greek", greek), ("english", english)):
        expect(len(words) > UNKNOWN, language, words, "a vocabulary that starts with END and UNKNOWN")
        known = {word: token for token, word in enumerate(words)}
        rows = [[known.get(_plain(word), UNKNOWN) for word in getattr(verse, language)] for verse in verses]
        columns += padded([[*row, END] for row in rows])
    return Pairs(*columns)


@checked
def gold(verses: tuple[Verse, ...]) -> Bool[Tensor, "B T S"]:
    """The links that people drew, in the places of `encode`: English asks, Greek answers; END has none."""
    expect(len(verses) > 0, "verses", verses, "at least one verse")
    T, S = (1 + max(len(getattr(verse, language)) for verse in verses) for language in ("english", "greek"))
    table = torch.zeros(len(verses), T, S, dtype=torch.bool)
    for b, verse in enumerate(verses):
        for t, places in enumerate(verse.links):
            table[b, t, list(places)] = True
    return table


@checked
def chosen(weights: Float[Tensor, "B T S"], pairs: Pairs) -> Bool[Tensor, "B T S"]:
    """One link for each English word, to the place of its largest weight; a word that looks at END gets none."""
    place = weights.argmax(2, keepdim=True)
    links = torch.zeros_like(weights, dtype=torch.bool).scatter_(2, place, True)
    words = pairs.asked & (pairs.target != END), pairs.mask & (pairs.source != END)
    expect(links.shape[:2] == words[0].shape and links.shape[2] == words[1].shape[1], "weights", weights, _fit(pairs))
    return links & words[0][:, :, None] & words[1][:, None]


def _fit(pairs: Pairs) -> str:
    (B, T), S = pairs.target.shape, pairs.source.shape[1]
    return f"weights of shape ({B}, {T}, {S}), as many as the pairs have words"


@checked
def precision(found: Bool[Tensor, "B T S"], possible: Bool[Tensor, "B T S"]) -> float:
    """The share of the links found that are possible. Raises ValueError where none was found."""
    expect(bool(found.any()), "found", found, "at least one link")
    return ((found & possible).sum() / found.sum()).item()


@checked
def recall(found: Bool[Tensor, "B T S"], sure: Bool[Tensor, "B T S"]) -> float:
    """The share of the sure links that were found. Raises ValueError where none is sure."""
    expect(bool(sure.any()), "sure", sure, "at least one link")
    return ((found & sure).sum() / sure.sum()).item()


@checked
def alignment_error_rate(
    found: Bool[Tensor, "B T S"], sure: Bool[Tensor, "B T S"], possible: Bool[Tensor, "B T S"] | None = None
) -> float:
    """1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) of Och and Ney 2003: A found, S sure, P possible links.

    Every sure link counts as possible; without `possible` all links are sure, as in these verses, and the rate is one
    minus the F-score. Raises ValueError where nothing is sure.
    """
    expect(bool(sure.any()), "sure", sure, "at least one link")
    possible = sure if possible is None else possible | sure
    right = (found & sure).sum() + (found & possible).sum()
    return (1 - right / (found.sum() + sure.sum())).item()
