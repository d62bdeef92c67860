"""Pronouns: a sentence with two animals and an *it*, which stands for the one or the other as a single word decides.

    the dog did not catch the cat because it was too tired → dog
    the dog did not catch the cat because it was too fast → cat

Source   ours, after the Winograd schemas of Levesque, Davis & Morgenstern 2012.
Departs  four frames and 36 words; sentences are made, not found.
Agrees   worked cases (tests/tasks/test_pronouns.py).
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed

ANIMALS = ("animal", "dog", "cat", "fox", "horse", "wolf", "goat", "bear", "mouse", "duck", "cow", "frog")
CHASER = ("tired", "slow", "old", "lazy", "sleepy", "weak")
"""What keeps somebody from catching."""
CHASED = ("fast", "quick", "clever", "nimble", "alert", "agile")
"""What keeps somebody from being caught."""
FRAMES = (
    "the X did not catch the Y because it was too CLUE",
    "the Y got away from the X because it was too CLUE",
    "because it was too CLUE the X did not catch the Y",
    "because it was too CLUE the Y got away from the X",
)
"""X is the chaser, Y the chased. *It* comes after them or before, and each of them first or second."""
LENGTH = 12
OTHERS = sorted({word for frame in FRAMES for word in frame.split()} - {"X", "Y", "CLUE"})
WORDS = (*ANIMALS, *CHASER, *CHASED, *OTHERS)
"""The vocabulary; the first len(ANIMALS) of it are the possible answers."""


class Sentences(NamedTuple):
    """Sentences (B, T), and where in each stand *it*, what it refers to, the other animal, and the deciding word."""

    tokens: Int[Tensor, "B T"]
    it: Int[Tensor, "B"]
    referent: Int[Tensor, "B"]
    other: Int[Tensor, "B"]
    clue: Int[Tensor, "B"]

    @checked
    def at(self, what: Literal["it", "referent", "other", "clue"]) -> Int[Tensor, "B"]:
        """The tokens at one of these places."""
        return self.tokens.gather(1, getattr(self, what)[:, None])[:, 0]


@checked
def sample(
    batch: Positive, part: Literal["train", "test"] = "train", generator: torch.Generator | None = None
) -> Sentences:
    """`batch` sentences. Two animals that meet in a test sentence never meet in one of training."""
    pairs = torch.tensor(_pairs(part))[torch.randint(len(_pairs(part)), (batch,), generator=generator)]
    frame = torch.randint(len(FRAMES), (batch,), generator=generator)
    clue = torch.randint(len(CHASER) + len(CHASED), (batch,), generator=generator)
    table = torch.tensor([[_token(word) for word in frame.split()] for frame in FRAMES])  # X -1, Y -2, CLUE -3
    blank = table[frame]  # (B, T)
    x, y, z = (blank == place for place in (-1, -2, -3))
    tokens = torch.where(x, pairs[:, :1], torch.where(y, pairs[:, 1:], blank))
    tokens = torch.where(z, len(ANIMALS) + clue[:, None], tokens)
    chaser, chased, deciding = (mask.int().argmax(1) for mask in (x, y, z))
    first = clue < len(CHASER)
    it = (tokens == WORDS.index("it")).int().argmax(1)
    return Sentences(tokens, it, chaser.where(first, chased), chased.where(first, chaser), deciding)


@checked
def encode(sentence: str) -> Int[Tensor, "1 T"]:
    """The tokens of a sentence. Raises ValueError for a word that is not in WORDS."""
    words = sentence.split()
    expect(len(words) > 0 and set(words) <= set(WORDS), "sentence", sentence, "words of the vocabulary")
    return torch.tensor([[WORDS.index(word) for word in words]])


@checked
def spell(tokens: Int[Tensor, "T"]) -> list[str]:
    """The words of one sentence. Raises ValueError for a token that is no word."""
    expect(bool(((tokens >= 0) & (tokens < len(WORDS))).all()), "tokens", tokens, f"whole numbers below {len(WORDS)}")
    return [WORDS[token] for token in tokens.tolist()]


@checked
def example(seed: Seed = 0) -> str:
    """One sentence with its answer: `the dog did not catch the cat because it was too tired → dog`."""
    made = sample(1, generator=torch.Generator().manual_seed(seed))
    return f"{' '.join(spell(made.tokens[0]))} → {WORDS[int(made.at('referent'))]}"


def _pairs(part: str) -> list[tuple[int, int]]:
    """Ordered pairs of animals; a fifth of the unordered ones is for the test."""
    n = len(ANIMALS)
    return [(a, b) for a in range(n) for b in range(n) if a != b and ((a + b) % 5 == 0) == (part == "test")]


def _token(word: str) -> int:
    return {"X": -1, "Y": -2, "CLUE": -3}.get(word) or WORDS.index(word)
