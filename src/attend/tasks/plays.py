"""One label a step: nine of Shakespeare's plays, letter by letter; the label of a letter is the next letter."""

import gzip
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.data import path
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/plays.txt.gz",)
ALPHABET = "\n !\"',-.:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""Every character that occurs in the plays; a character's token is its place here."""


class Scene(NamedTuple):
    """A scene: `name` is the play with act and scene, `text` the speakers and what they say."""

    name: str
    text: str


@checked
@cache
def scenes(part: str) -> tuple[Scene, ...]:
    """The scenes of one part ("train", "validation" or "test"); a scene's name decides where it belongs."""
    wanted = known_part(part)
    everything = gzip.decompress(path("plays.txt.gz").read_bytes()).decode().split("\f")
    named = (Scene(*scene.split("\n", 1)) for scene in everything)
    return tuple(scene for scene in named if part_of(scene.name) == wanted)


@checked
def encode(text: str) -> Int[Tensor, "T"]:
    """The tokens of `text`. Raises ValueError for a character that does not occur in the plays."""
    odd = sorted(set(text) - set(ALPHABET))
    expect(not odd, "text", "".join(odd), "only characters of ALPHABET")
    expect(len(text) > 0, "text", text, "at least one character")
    return torch.tensor([ALPHABET.index(character) for character in text])


@checked
def spell(tokens: Int[Tensor, "T"]) -> str:
    """The text of `tokens`, the inverse of `encode`."""
    return "".join(ALPHABET[token] for token in tokens.tolist())


@checked
@cache
def stream(part: str) -> Int[Tensor, "T"]:
    """The scenes of one part as one long row of tokens, an empty line between scenes."""
    return encode("\n\n".join(scene.text for scene in scenes(part)))


@checked
def pages(part: str, T: int = 500) -> Int[Tensor, "R T"]:
    """One part cut into R pages of T characters, on which every model is measured alike; the rest is left out."""
    expect(T > 1, "T", T, "a whole number above 1")
    tokens = stream(part)
    return tokens[: len(tokens) // T * T].view(-1, T)


@checked
def batches(B: int, T: int) -> Iterator[tuple[Int[Tensor, "B T"], Int[Tensor, "B T"], bool]]:
    """Endless (letters, next letters, fresh) for B readers who each read on in their own share of the plays.

    `fresh` says that the readers begin again, so that a summary carried along must be emptied.
    """
    expect(B > 0, "B", B, "a positive whole number")
    expect(T > 0, "T", T, "a positive whole number")
    return _reading(stream("train"), B, T)


def _reading(tokens: Tensor, B: int, T: int) -> Iterator[tuple[Tensor, Tensor, bool]]:
    share = tokens[: len(tokens) // B * B].view(B, -1)
    while True:
        for t in range(0, share.shape[1] - T, T):
            yield share[:, t : t + T], share[:, t + 1 : t + T + 1], t == 0


@checked
def windows(B: int, T: int, generator: torch.Generator) -> Iterator[Int[Tensor, "B S"]]:
    """Endless batches of B windows from anywhere in the training scenes, S = T + 1: T characters to read, and the next.

    The first T are what is read, the last T what comes next at each.
    """
    expect(B > 0, "B", B, "a positive whole number")
    text = stream("train")
    expect(0 < T < len(text), "T", T, f"a whole number from 1 to {len(text) - 1}")
    return _drawn(text, B, T, generator)


def _drawn(text: Tensor, B: int, T: int, generator: torch.Generator) -> Iterator[Tensor]:
    while True:
        yield text[torch.randint(len(text) - T, (B, 1), generator=generator) + torch.arange(T + 1)]


@checked
def cost(logits: Float[Tensor, "B T V"], letters: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a letter, of letters that were predicted with these logits."""
    return cross_entropy(logits.flatten(0, 1), letters.flatten())
