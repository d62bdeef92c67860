"""Repeats: a row of random tokens in which one stretch comes a second time. What follows is known as long as it lasts.

Source   Olsson et al. 2022, arXiv:2209.11895 (a random sequence of tokens, repeated); Elhage et al. 2021.
Departs  the two stretches begin anywhere, so that no fixed distance leads from the one to the other.
Agrees   worked cases (tests/tasks/test_repeats.py).
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive, Seed

VOCAB = 26
SHORTEST, LONGEST = 4, 8
"""How long a stretch may be."""


@checked
def sample(
    batch: Positive, T: Positive = 24, generator: torch.Generator | None = None
) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """`batch` rows of T tokens, and where the next token is known.

    Apart from the repeated stretch no token comes twice, so T is at most VOCAB, and at least twice LONGEST. The next
    token is `known` from the first token of the second stretch to its last but one.
    """
    expect(2 * LONGEST <= T <= VOCAB, "T", T, f"a number of tokens from {2 * LONGEST} to {VOCAB}")

    def up_to(most: Tensor) -> Tensor:
        return (torch.rand(batch, 1, generator=generator) * (most + 1)).long()

    tokens = torch.rand(batch, VOCAB, generator=generator).argsort(dim=1)[:, :T]  # all different
    length = SHORTEST + up_to(torch.tensor(LONGEST - SHORTEST))  # (B, 1)
    first = up_to(T - 2 * length)
    second = first + length + up_to(T - 2 * length - first)
    t = torch.arange(T)
    again = (t >= second) & (t < second + length)  # (B, T)
    source = torch.where(again, t - second + first, t)
    return tokens.gather(1, source), again & (t < second + length - 1)


@checked
def before(tokens: Int[Tensor, "B T"]) -> Int[Tensor, "B T"]:
    """Where each token stood before, -1 where it is new."""
    T = tokens.shape[1]
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)  # (B, T, T)
    return torch.where(same.any(2), (same * torch.arange(T)).amax(2), -1)


@checked
def example(T: Positive = 20, seed: Seed = 0) -> str:
    """One row to read; the stretch is in brackets both times: `q [a f c] z [a f c] b`."""
    tokens, known = sample(1, T, torch.Generator().manual_seed(seed))
    start = int(known[0].int().argmax())
    length = int(known[0].sum()) + 1
    first = int(before(tokens)[0, start])
    names = [spell(token) for token in tokens[0].tolist()]
    for at in (first, start):
        names[at] = f"[{names[at]}"
        names[at + length - 1] = f"{names[at + length - 1]}]"
    return " ".join(names)


@checked
def spell(token: NonNegative) -> str:
    """The letter that stands for a token. Raises ValueError for one from VOCAB on."""
    expect(token < VOCAB, "token", token, f"a whole number below {VOCAB}")
    return chr(ord("a") + token)
