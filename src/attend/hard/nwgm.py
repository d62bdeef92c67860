"""What hard attention does on average: its mean state and prediction over all regions, and a single step in its place.

Source   Xu et al. 2015, arXiv:1502.03044, section 4.2.1; Baldi & Sadowski 2014 (the geometric mean); lecture
         erdem2021attention.
Departs  the regions are so few that the mean over all of them is computed, and nothing has to be assumed of it.
Agrees   the product of probabilities raised to their weights, and a loop over the regions (tests/hard/test_nwgm.py).
"""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked
from attend.hard.captioner import Captioner, Regions, State


class EachRegion(NamedTuple):
    """One step if one region alone is attended to, for each of the regions.

    `logits` of the next word (B, S, V), the new `hidden` state (B, S, H), and the attention `weights` (B, S).
    """

    logits: Float[Tensor, "B S V"]  # (B, S, V)
    hidden: Float[Tensor, "B S H"]  # (B, S, H)
    weights: Float[Tensor, "B S"]  # (B, S)


@checked
def attend_to_each(model: Captioner, token: Int[Tensor, "B"], state: State, regions: Regions) -> EachRegion:
    """The next word's logits and the new state for each of the S regions that hard attention could draw here."""
    B, S, _ = regions.vectors.shape
    repeated = tuple(part.repeat_interleave(S, dim=0) for part in state)  # (B·S, H)
    alone = Regions(*(part.flatten(0, 1)[:, None] for part in regions))  # (B·S, 1, K)
    logits, (h, _), _ = model.step(token.repeat_interleave(S), repeated, alone)
    weights = model.attend(state[0], regions).weights
    return EachRegion(logits.view(B, S, -1), h.view(B, S, -1), weights)


@checked
def expected_hidden(each: EachRegion) -> Float[Tensor, "B H"]:
    """The mean of the new hidden state over all regions, E[h]."""
    return (each.weights[:, None] @ each.hidden).squeeze(1)


@checked
def expected_probs(each: EachRegion) -> Float[Tensor, "B V"]:
    """The mean over all regions of the probabilities of each word, E[softmax n]: what hard attention estimates."""
    probs = each.logits.softmax(dim=2)  # (B, S, V)
    return (each.weights[:, None] @ probs).squeeze(1)  # (B, V)


@checked
def nwgm(each: EachRegion) -> Float[Tensor, "B V"]:
    """The normalised weighted geometric mean over all regions: the softmax of the mean logits, softmax E[n]."""
    mean = (each.weights[:, None] @ each.logits).squeeze(1)  # (B, V)
    return mean.softmax(dim=1)


@checked
def total_variation(p: Float[Tensor, "B V"], q: Float[Tensor, "B V"]) -> Float[Tensor, "B"]:
    """Σ |p − q| / 2, from 0 to 1: the largest difference in the probability of any set of words."""
    return (p - q).abs().sum(dim=1) / 2
