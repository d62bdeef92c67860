"""Expected hard attention: the mean prediction over all regions, and the softmax of the mean logits in its place.

Source   Xu et al. 2015, arXiv:1502.03044, section 4.2.1; Baldi & Sadowski 2014 (the geometric mean); lecture
         erdem2021attention.
Departs  the regions are so few that the mean over all of them is computed, and nothing has to be assumed of it.
Agrees   the product of probabilities raised to their weights, and a loop over the regions (tests/hard/test_nwgm.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Positive
from attend.hard.captioner import Captioner, State


class EachRegion(NamedTuple):
    """Logits of the next word if one region alone is attended to, (B, S, V), and the attention `weights` (B, S)."""

    logits: Float[Tensor, "B S V"]
    weights: Float[Tensor, "B S"]


@checked
def attend_to_each(
    model: Captioner,
    token: Int[Tensor, "B"],
    state: State,
    regions: Float[Tensor, "B S K"],
) -> EachRegion:
    """The next word's logits for each of the S regions that hard attention could choose in this state."""
    B, S, _ = regions.shape
    repeated = tuple(part.repeat_interleave(S, dim=0) for part in state)
    alone = regions.flatten(0, 1)[:, None]  # (B·S, 1, K)
    logits = model.step(token.repeat_interleave(S), repeated, alone).logits
    return EachRegion(logits.view(B, S, -1), model.attention_weights(state, regions))


@checked
def expected_probs(each: EachRegion) -> Float[Tensor, "B V"]:
    """The mean over all regions of the probabilities of each word, E[softmax n]: what hard attention estimates."""
    probs = each.logits.softmax(dim=2)
    return (each.weights[:, None] @ probs).squeeze(1)


@checked
def nwgm(each: EachRegion) -> Float[Tensor, "B V"]:
    """The normalised weighted geometric mean over all regions: the softmax of the mean logits, softmax E[n]."""
    mean = (each.weights[:, None] @ each.logits).squeeze(1)
    return mean.softmax(dim=1)


@checked
def monte_carlo(each: EachRegion, samples: Positive, generator: torch.Generator | None = None) -> Float[Tensor, "B V"]:
    """The mean probabilities over so many `samples` of regions, drawn by their weights."""
    index = torch.multinomial(each.weights, samples, replacement=True, generator=generator)  # (B, samples)
    probs = each.logits.softmax(dim=2)
    return probs.gather(1, index[:, :, None].expand(-1, -1, probs.shape[2])).mean(dim=1)


@checked
def total_variation(p: Float[Tensor, "B V"], q: Float[Tensor, "B V"]) -> Float[Tensor, "B"]:
    """Σ |p − q| / 2, from 0 to 1: the largest difference in the probability of any set of words."""
    return (p - q).abs().sum(dim=1) / 2
