"""One look among S places, in four ways: read the mean, read one place, or count with every place at once.

Source   Xu et al. 2015, arXiv:1502.03044, section 4 (hard: the bound of eq. 10, and its estimate; soft: the mean);
         lecture erdem2021attention (the comparison; models whose marginal can be added up).
Departs  a single look, and an answer that is linear in what was read, so that every quantity can be enumerated.
Agrees   a loop over the places, in values and gradients; the estimate within three standard errors of the exact
         gradient (tests/hard/test_look.py).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import one_hot

from attend.core.expect import checked, expect
from attend.hard.reinforce import leave_one_out, reinforce_loss, sample_categorical
from attend.memory.supervision import Embedding, Readout

READINGS = ("mean", "drawn", "largest", "mixture")
Answer = Callable[[Tensor], Tensor]
"""From what was read (…, D) to logits (…, V)."""


class View(NamedTuple):
    """What a model makes of the places before it looks: `weights` (B, S), and `values` (B, S, D) to be read."""

    weights: Float[Tensor, "B S"]
    values: Float[Tensor, "B S D"]


class Looker(nn.Module):
    """Marks are scored by a dot product with the query, letters are the values, and the answer is linear.

    M marks and V letters; queries and keys have Q numbers, values D. Raises ValueError for widths not above 0.
    """

    @checked
    def __init__(self, M: int, V: int, Q: int = 16, D: int = 16, generator: torch.Generator | None = None):
        super().__init__()
        self.query = Embedding(M, Q, generator=generator)
        self.key = Embedding(M, Q, generator=generator)
        self.value = Embedding(V, D, generator=generator)
        self.answer = Readout(D, V, generator)

    @checked
    def forward(
        self,
        marks: Int[Tensor, "B S"],
        letters: Int[Tensor, "B S"],
        asked: Int[Tensor, "B"],
    ) -> View:
        """Weights of all places, and their values."""
        query, keys = self.query(asked), self.key(marks)
        scores = (keys @ query[:, :, None])[:, :, 0] / query.shape[1] ** 0.5
        return View(scores.softmax(dim=1), self.value(letters))


@checked
def soft(
    view: View,
    answer: Answer,
    right: Int[Tensor, "B"],
) -> Float[Tensor, "B"]:
    """The log chance of the right answer after reading the mean."""
    mean = (view.weights[:, None] @ view.values)[:, 0]
    logits = answer(mean)
    return logits.log_softmax(1).gather(1, right[:, None])[:, 0]


@checked
def each(
    values: Float[Tensor, "B S D"],
    answer: Answer,
    right: Int[Tensor, "B"],
) -> Float[Tensor, "B S"]:
    """The log chance of the right answer after a look at each place.

    It costs S answers.
    """
    logits = answer(values).log_softmax(2)
    at = right[:, None, None].expand(-1, values.shape[1], 1)
    return logits.gather(2, at)[:, :, 0]


@checked
def bound(
    weights: Float[Tensor, "*B S"],
    log_right: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B"]:
    """What one drawn look is worth on average: Σ α log p."""
    return (weights * log_right).sum(-1)


@checked
def marginal(
    weights: Float[Tensor, "*B S"],
    log_right: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B"]:
    """The log chance to be right, whatever was drawn: log Σ α p."""
    tiny = torch.finfo(weights.dtype).tiny
    log_weights = weights.clamp(min=tiny).log()
    return (log_weights + log_right).logsumexp(-1)


@checked
def hard(
    view: View,
    answer: Answer,
    right: Int[Tensor, "B"],
    looks: int = 1,
    baseline: bool = True,
    generator: torch.Generator | None = None,
) -> Float[Tensor, ""]:
    """A loss whose gradient estimates that of −bound, mean over B.

    Each row is looked at `looks` times. What is learned of places
    is weighed by log p less its mean over all other looks.
    """
    expect(looks > 0, "looks", looks, "a positive whole number")
    B, S = view.weights.shape
    drawn = sample_categorical(view.weights[:, None].expand(B, looks, S), generator)
    rows = torch.arange(B)[:, None]
    read = view.values[rows, drawn.index]
    log_right = each(read, answer, right)
    paid = log_right.detach()
    less = leave_one_out(paid.flatten()).view(B, looks) if baseline else 0.0
    return reinforce_loss(drawn.log_prob, paid, less) - log_right.mean()


@checked
def chances(
    view: View,
    answer: Answer,
    reading: str = "mean",
    generator: torch.Generator | None = None,
) -> Float[Tensor, "B V"]:
    """The chance of every answer, when places are read in one of four ways (READINGS).

    "mean" reads the mean of all values, "drawn" one place by its chance, "largest" the place with the largest weight;
    "mixture" answers for each place and then takes the mean. Raises ValueError for another name.
    """
    expect(reading in READINGS, "reading", reading, f"one of {', '.join(READINGS)}")
    weights, values = view
    if reading == "mixture":
        return (weights[:, None] @ answer(values).softmax(dim=2))[:, 0]
    if reading == "drawn":
        weights = _one(sample_categorical(weights[:, None], generator).index[:, 0], weights)
    elif reading == "largest":
        weights = _one(weights.argmax(dim=1), weights)
    return answer((weights[:, None] @ values)[:, 0]).softmax(dim=1)


def _one(index: Tensor, like: Tensor) -> Tensor:
    return one_hot(index, like.shape[1]).to(like.dtype)
