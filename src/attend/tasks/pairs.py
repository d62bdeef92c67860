"""Pairs of sequences, a source and its target, padded to stand in one table; what batches, cost and exactness are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from attend.core.expect import checked, expect


class Pairs(NamedTuple):
    """The same thing said twice: `source` and `mask` (B, S), `target` and `asked` (B, T), padded on the right."""

    source: Int[Tensor, "B S"]
    mask: Bool[Tensor, "B S"]
    target: Int[Tensor, "B T"]
    asked: Bool[Tensor, "B T"]


@checked
def padded(rows: Sequence[Sequence[int]], filling: int = 0) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """Rows of tokens in one table (B, T), `filling` behind the shorter ones, and which of it is really there."""
    expect(
        len(rows) > 0 and all(len(row) > 0 for row in rows), "rows", rows, "at least one row, and none of them empty"
    )
    table = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=filling)
    return table, torch.arange(table.shape[1]) < torch.tensor([[len(row)] for row in rows])


@checked
def batches(everything: Pairs, B: int, generator: torch.Generator) -> Iterator[Pairs]:
    """Endless batches of B pairs, drawn from `everything` so that every length of source comes equally often.

    Without that, the few short ones would drown among the many long ones.
    """
    expect(B > 0, "B", B, "a positive whole number")
    return _drawn(everything, B, generator)


def _drawn(everything: Pairs, B: int, generator: torch.Generator) -> Iterator[Pairs]:
    lengths = everything.mask.sum(1)
    weights = 1 / lengths.bincount()[lengths].double()
    while True:
        rows = torch.multinomial(weights, B, replacement=True, generator=generator)
        yield cropped(Pairs(*(column[rows] for column in everything)))


@checked
def cropped(pairs: Pairs) -> Pairs:
    """The same pairs without the columns in which nothing stands."""
    S, T = int(pairs.mask.sum(1).max()), int(pairs.asked.sum(1).max())
    return Pairs(pairs.source[:, :S], pairs.mask[:, :S], pairs.target[:, :T], pairs.asked[:, :T])


@checked
def cost(logits: Float[Tensor, "B T V"], target: Int[Tensor, "B T"], asked: Bool[Tensor, "B T"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a token, over the tokens that are really there."""
    return cross_entropy(logits[asked], target[asked])


@checked
def exact(written: Int[Tensor, "B T"], target: Int[Tensor, "B T"], asked: Bool[Tensor, "B T"]) -> Bool[Tensor, "B"]:
    """Which rows were written without any mistake, their end included."""
    return ((written == target) | ~asked).all(dim=1)
