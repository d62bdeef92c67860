"""Real talk: the speakers of nine plays take turns. What is to be foretold is the next turn, word by word."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.banks import shuffled
from attend.tasks.dialogue import padded
from attend.tasks.plays import scenes

END, UNKNOWN = 0, 1
V = 1_000
"""Tokens: the end of a turn, the unknown word, and the commonest words and stops of the training scenes."""

MOST = 20
"""The words of a turn that are used: the last of those that are read, the first of those that are foretold."""


class Exchanges(NamedTuple):
    """Turns that are read, `words` and `mask` (B, N, T), and the turn that follows, `answer` and `asked` (B, A)."""

    words: Int[Tensor, "B N T"]
    mask: Bool[Tensor, "B N T"]
    answer: Int[Tensor, "B A"]
    asked: Bool[Tensor, "B A"]


@checked
def words(text: str) -> list[str]:
    """The words and stops of `text`, in small letters."""
    return re.findall(r"[a-z]+(?:'[a-z]+)*|[.,;:?!]", text.lower())


@checked
@cache
def spoken(part: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The scenes of one part, each as its turns, each as its words; who speaks is left out."""
    paragraphs = ([p.partition("\n")[2] for p in scene.text.split("\n\n")] for scene in scenes(part))
    return tuple(tuple(tuple(words(said)) for said in scene if words(said)) for scene in paragraphs)


@checked
@cache
def vocabulary() -> tuple[str, ...]:
    """The V tokens in words: END, UNKNOWN (no word of a play has capitals here), then the commonest ones, in order."""
    counts = Counter(word for scene in spoken("train") for turn in scene for word in turn)
    return ("END", "UNKNOWN", *(word for word, _ in counts.most_common(V - 2)))


@checked
@cache
def exchanges(part: str, turns: int = 3) -> Exchanges:
    """Every turn of one part that follows `turns` others of its scene, with those as what is read."""
    expect(turns > 0, "turns", turns, "a positive whole number")
    place = {word: token for token, word in enumerate(vocabulary())}
    told = [
        [[place.get(word, UNKNOWN) for word in turn] for turn in scene] for scene in spoken(part) if len(scene) > turns
    ]
    windows = [scene[n - turns : n + 1] for scene in told for n in range(turns, len(scene))]
    read, there = padded([[*turn[-MOST:], END] for window in windows for turn in window[:-1]])
    answer, asked = padded([[*window[-1], END][:MOST] for window in windows])
    shape = (len(windows), turns, -1)
    return Exchanges(read.view(shape), there.view(shape), answer, asked)


@checked
def unheard(heard: Exchanges) -> Exchanges:
    """The same exchanges, of whose turns nothing is left but the end of one: what follows stands by itself."""
    return heard._replace(words=torch.full_like(heard.words[:, :1, :1], END), mask=heard.mask[:, :1, :1] | True)


@checked
def batches(heard: Exchanges, B: int, generator: torch.Generator) -> Iterator[Exchanges]:
    """Endless batches of B exchanges, each once a pass, in a new order every time."""
    expect(0 < B <= len(heard.words), "B", B, f"1 to {len(heard.words)}")
    return shuffled(heard, B, generator)


@checked
def cost(logits: Float[Tensor, "B A V"], answer: Int[Tensor, "B A"], asked: Bool[Tensor, "B A"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a word, of the words that were foretold with these logits."""
    return cross_entropy(logits[asked], answer[asked])
