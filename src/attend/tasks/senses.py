"""English sentences, in each of which one word is marked with its sense: the examples of WordNet."""

import bz2
import re
from collections import Counter
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.data import path
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/senses.tsv.bz2",)
UNKNOWN, EDGE = 0, 1
"""The token of every word that the vocabulary lacks, and the one before, behind and beyond every sentence."""
NOUNS = (
    "tops act animal artifact attribute body cognition communication event feeling food group location motive object "
    "person phenomenon plant possession process quantity relation shape state substance time"
)
VERBS = (
    "body change cognition communication competition consumption contact creation emotion motion perception possession "
    "social stative weather"
)
KINDS = (
    *("adjective", "adjective.pertaining", "adverb"),
    *(f"noun.{name}" for name in NOUNS.split()),
    *(f"verb.{name}" for name in VERBS.split()),
    "adjective.participle",
)
"""WordNet's 45 broad kinds of meaning ("supersenses"), in the order of its numbers for them."""
_WORD = re.compile(r"\*?[a-z]+(?:'[a-z]+)?|[0-9]+|[!?.,;:]")


class Example(NamedTuple):
    """A sentence as words; the place of the marked one, or -1; the number of its sense, and of its sense's kind."""

    words: tuple[str, ...]
    place: int
    sense: int
    kind: int

    @property
    def word(self) -> str:
        """The marked word as it is spelt here; "" without one."""
        return self.words[self.place] if self.place >= 0 else ""

    @property
    def part_of_speech(self) -> str:
        """Noun, verb, adjective or adverb."""
        return KINDS[self.kind].partition(".")[0]


@checked
@cache
def load(part: str) -> tuple[Example, ...]:
    """The examples of one part ("train", "validation" or "test"), in the order of the file."""
    wanted = known_part(part)
    return tuple(one for one in _file() if part_of(" ".join(one.words)) == wanted)


@cache
def _file() -> tuple[Example, ...]:
    lines = bz2.decompress(path("senses.tsv.bz2").read_bytes()).decode().splitlines()
    found: dict[tuple[str, ...], Example] = {}
    for sense, line in enumerate(lines):
        kind, *texts = line.split("\t")
        for text in texts:
            words = _WORD.findall(text)
            place = next((n for n, word in enumerate(words) if word.startswith("*")), -1)
            plain = tuple(word.removeprefix("*") for word in words)
            found.setdefault(plain, Example(plain, place, sense, int(kind)))
    return tuple(found.values())


@checked
def vocabulary(texts: list[tuple[str, ...]], least: int) -> tuple[str, ...]:
    """The words that stand at least `least` times in `texts`, most frequent first, after "…" and the edge "|"."""
    expect(least > 0, "least", least, "a positive whole number")
    counts = Counter(word for text in texts for word in text)
    return ("…", "|", *(word for word, count in counts.most_common() if count >= least))


@checked
def encode(texts: list[tuple[str, ...]], vocabulary: tuple[str, ...]) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """The tokens of `texts`, each between two edges, and the mask of what is there; behind it is padding."""
    expect(bool(texts) and all(texts), "texts", texts, "at least one text, each with a word in it")
    known = {word: token for token, word in enumerate(vocabulary)}
    rows = [[known.get(word, UNKNOWN) for word in text] for text in texts]
    T = 2 + max(map(len, rows))
    tokens = torch.tensor([[EDGE, *row] + [EDGE] * (T - 1 - len(row)) for row in rows])
    lengths = torch.tensor([2 + len(row) for row in rows])[:, None]
    return tokens, torch.arange(T) < lengths


@checked
def example(part: str = "train") -> str:
    """The first six examples of a part with a marked word, to read."""
    marked = [one for one in load(part) if one.place >= 0][:6]
    return "\n".join(
        f"{KINDS[one.kind]:20} {' '.join((*one.words[: one.place], one.word.upper(), *one.words[one.place + 1 :]))}"
        for one in marked
    )
