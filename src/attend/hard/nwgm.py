"""Two ways to average over looks: what is said on the average, and what is said after an average look.

Source   Xu et al. 2015, arXiv:1502.03044, section 4.2.1; Baldi & Sadowski 2014 (the geometric mean); lecture
         erdem2021attention.
Departs  the regions are so few that the mean over all looks is added up, and nothing has to be assumed of it.
Agrees   the product of chances raised to their weights, and a loop over the regions (tests/hard/test_nwgm.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.hard.captioner import Captioner, State


class Every(NamedTuple):
    """What would be said after a look at each region: `logits` (B, S, V), and the `weights` (B, S) of the looks."""

    logits: Float[Tensor, "B S V"]
    weights: Float[Tensor, "B S"]


@checked
def every(
    model: Captioner,
    token: Int[Tensor, "B"],
    state: State,
    regions: Float[Tensor, "B S K"],
) -> Every:
    """The next word's logits for each of the S looks that could be taken in this state, one region at a time."""
    B, S, _ = regions.shape
    again = tuple(part.repeat_interleave(S, dim=0) for part in state)
    alone = regions.flatten(0, 1)[:, None]
    logits = model.step(token.repeat_interleave(S), again, alone).logits
    return Every(logits.view(B, S, -1), model.weigh(state, regions))


@checked
def expected(of: Every) -> Float[Tensor, "B V"]:
    """The mean over all looks of the chances of each word, E[softmax n]: what hard attention estimates."""
    chances = of.logits.softmax(dim=2)
    return (of.weights[:, None] @ chances).squeeze(1)


@checked
def nwgm(of: Every) -> Float[Tensor, "B V"]:
    """The normalised weighted geometric mean over all looks: the softmax of the mean logits, softmax E[n]."""
    mean = (of.weights[:, None] @ of.logits).squeeze(1)
    return mean.softmax(dim=1)


@checked
def monte_carlo(of: Every, count: int, generator: torch.Generator | None = None) -> Float[Tensor, "B V"]:
    """The mean chances after `count` looks drawn by their weights."""
    expect(count > 0, "count", count, "a positive whole number")
    drawn = torch.multinomial(of.weights, count, replacement=True, generator=generator)
    chances = of.logits.softmax(dim=2)
    return chances.gather(1, drawn[:, :, None].expand(-1, -1, chances.shape[2])).mean(dim=1)


@checked
def apart(p: Float[Tensor, "B V"], q: Float[Tensor, "B V"]) -> Float[Tensor, "B"]:
    """Half the sum of |p − q|: the largest difference in the chance of any set of words, between 0 and 1."""
    return (p - q).abs().sum(dim=1) / 2
