"""From scores to what is read: softmax, sparsemax, Gumbel-softmax, straight-through, and a look at one window.

Source   Martins & Astudillo 2016, arXiv:1602.02068, algorithm 1 (sparsemax); Jang et al. 2017, arXiv:1611.01144, and
         Maddison et al. 2017, arXiv:1611.00712 (Gumbel-softmax); Bengio et al. 2013, arXiv:1308.3432 (straight-through)
Departs  straight-through takes any weights for its backward pass, a softmax or a Gumbel-softmax.
Agrees   sparsemax with the conditions of a projection onto the simplex, in values and gradients; Gumbel-softmax with
         torch's, for the same noise; draws with their probabilities (tests/hard/test_look.py).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Plural, Positive, PositiveFloat

Weigh = Callable[[Tensor], Tensor]
"""From scores (B, S) to weights (B, S) that add up to one."""


@checked
def sparsemax(scores: Float[Tensor, "*B S"]) -> Float[Tensor, "*B S"]:
    """The point of the simplex nearest to the scores: weights that add up to one, many of them exactly 0."""
    ordered = scores.sort(dim=-1, descending=True).values
    excess = ordered.cumsum(dim=-1) - 1  # of the k largest, over one
    k = torch.arange(1, scores.shape[-1] + 1, device=scores.device)
    kept = (k * ordered > excess).sum(dim=-1, keepdim=True)
    threshold = excess.gather(-1, kept - 1) / kept
    return (scores - threshold).clamp(min=0)


@checked
def gumbel_softmax(
    scores: Float[Tensor, "*B S"],
    temperature: PositiveFloat = 1.0,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "*B S"]:
    """A softened draw: its largest weight is at s with the probability that the softmax of the scores gives to s."""
    noise = torch.empty_like(scores).exponential_(generator=generator)
    gumbel = -noise.log()
    return ((scores + gumbel) / temperature).softmax(dim=-1)


@checked
def straight_through(weights: Float[Tensor, "*B S"], index: Int[Tensor, "*B"]) -> Float[Tensor, "*B S"]:
    """Forward: 1 at `index` and 0 elsewhere. Backward: as if it were the weights."""
    one_hot = F.one_hot(index, weights.shape[-1])
    return one_hot + weights - weights.detach()


class Look(NamedTuple):
    """One window of each photo: the `logits` (B, C), the `log_prob` (B) of the window, and its `index` (B)."""

    logits: Float[Tensor, "B C"]
    log_prob: Float[Tensor, "B"]
    index: Int[Tensor, "B"]


class AttentionClassifier(nn.Module):
    """Scores windows by their thumbnails. `forward` reads all of them, weighted; `look` reads one and no other."""

    @checked
    def __init__(
        self,
        thumbnail_size: Positive,
        window_size: Positive,
        num_classes: Plural,
        hidden_size: Positive = 32,
        value_size: Positive = 64,
    ):
        super().__init__()
        self.score = nn.Sequential(
            nn.Linear(thumbnail_size, hidden_size),
            nn.Tanh(),
            nn.Linear(hidden_size, 1),
        )
        self.value = nn.Sequential(
            nn.Linear(window_size, value_size),
            nn.ReLU(),
        )
        self.head = nn.Linear(value_size, num_classes)

    @checked
    def forward(
        self,
        thumbnails: Float[Tensor, "B S {self.score[0].in_features}"],
        windows: Float[Tensor, "B S {self.value[0].in_features}"],
        weigh: Weigh,
    ) -> tuple[Float[Tensor, "B C"], Float[Tensor, "B S"]]:
        """The logits after reading the weighted mean of all values, and the weights that `weigh` made of the scores."""
        weights = weigh(self.score(thumbnails)[..., 0])  # (B, S)
        values = self.value(windows)  # (B, S, D)
        context = (weights[:, None] @ values)[:, 0]  # (B, D)
        return self.head(context), weights

    @checked
    def look(
        self,
        thumbnails: Float[Tensor, "B S {self.score[0].in_features}"],
        windows: Float[Tensor, "B S {self.value[0].in_features}"],
        draw: bool = True,
    ) -> Look:
        """One window is read: drawn by the softmax of the scores, or the one with the largest score."""
        policy = Categorical(logits=self.score(thumbnails)[..., 0])
        index = policy.sample() if draw else policy.logits.argmax(dim=1)
        one = windows[torch.arange(len(windows)), index]  # (B, P)
        return Look(
            self.head(self.value(one)),  # (B, C)
            policy.log_prob(index),
            index,
        )
