"""One step of attention over S positions, read in four ways: softly, at one position, or summed over all of them.

Source   Xu et al. 2015, arXiv:1502.03044, section 4 (hard: the bound of eq. 10, and its estimate; soft: the mean);
         lecture erdem2021attention (the comparison; models whose marginal can be added up).
Departs  a single step, and a readout that is linear in what was read, so that every quantity can be enumerated.
Agrees   a loop over the positions, in values and gradients; the estimate within three standard errors of the exact
         gradient (tests/hard/test_look.py).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import one_hot

from attend.core.expect import checked
from attend.core.types import Positive
from attend.hard.reinforce import leave_one_out, reinforce_loss, sample_categorical

READINGS = ("mean", "drawn", "largest", "mixture")
Readout = Callable[[Tensor], Tensor]
"""From what was read (…, D) to logits (…, V)."""


class Attended(NamedTuple):
    """Attention before anything is read: the `weights` (B, S), and the `values` (B, S, D) of all positions."""

    weights: Float[Tensor, "B S"]
    values: Float[Tensor, "B S D"]


class OneStepAttention(nn.Module):
    """Scaled dot-product attention with one query: marks are keys, letters are values, the readout is linear.

    `num_marks` marks and `num_letters` letters; queries and keys have width `d_key`, values `d_value`.
    """

    @checked
    def __init__(
        self,
        num_marks: Positive,
        num_letters: Positive,
        d_key: Positive = 16,
        d_value: Positive = 16,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.query = nn.Embedding(num_marks, d_key)
        self.key = nn.Embedding(num_marks, d_key)
        self.value = nn.Embedding(num_letters, d_value)
        self.readout = nn.Linear(d_value, num_letters)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Embeddings are standard normal; the readout is uniform in ±√(1 / d_value), its bias 0."""
        for embedding in (self.query, self.key, self.value):
            nn.init.normal_(embedding.weight, generator=generator)
        bound = self.readout.in_features**-0.5
        nn.init.uniform_(self.readout.weight, -bound, bound, generator=generator)
        nn.init.zeros_(self.readout.bias)

    @checked
    def forward(
        self,
        marks: Int[Tensor, "B S"],
        letters: Int[Tensor, "B S"],
        asked: Int[Tensor, "B"],
    ) -> Attended:
        """Attention weights and values of S positions, each with a mark and a letter, for the mark that is asked."""
        query, keys = self.query(asked), self.key(marks)  # (B, d_key), (B, S, d_key)
        scores = (keys @ query[:, :, None])[:, :, 0] / query.shape[1] ** 0.5
        return Attended(scores.softmax(dim=1), self.value(letters))


@checked
def soft_log_prob(
    attended: Attended,
    readout: Readout,
    target: Int[Tensor, "B"],
) -> Float[Tensor, "B"]:
    """Soft attention: the log-probability of the target after reading the weighted mean of all values."""
    context = (attended.weights[:, None] @ attended.values)[:, 0]  # (B, D)
    logits = readout(context)
    return logits.log_softmax(1).gather(1, target[:, None])[:, 0]


@checked
def log_probs_of_each(
    values: Float[Tensor, "B S D"],
    readout: Readout,
    target: Int[Tensor, "B"],
) -> Float[Tensor, "B S"]:
    """Hard attention, enumerated: the log-probability of the target after reading each position alone.

    It takes S readouts.
    """
    log_probs = readout(values).log_softmax(2)  # (B, S, V)
    at = target[:, None, None].expand(-1, values.shape[1], 1)
    return log_probs.gather(2, at)[:, :, 0]


@checked
def lower_bound(
    weights: Float[Tensor, "*B S"],
    log_probs: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B"]:
    """The variational lower bound (ELBO) of hard attention: Σ α log p, the mean over which position is read."""
    return (weights * log_probs).sum(-1)


@checked
def log_marginal(
    weights: Float[Tensor, "*B S"],
    log_probs: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B"]:
    """The log marginal likelihood, log Σ α p: the probability of the target, whichever position is read."""
    tiny = torch.finfo(weights.dtype).tiny
    log_weights = weights.clamp(min=tiny).log()
    return (log_weights + log_probs).logsumexp(-1)


@checked
def hard_loss(
    attended: Attended,
    readout: Readout,
    target: Int[Tensor, "B"],
    samples: Positive = 1,
    baseline: bool = True,
    generator: torch.Generator | None = None,
) -> Float[Tensor, ""]:
    """A loss whose gradient is an unbiased estimate of that of −lower_bound, from `samples` positions for each row.

    The weights learn by REINFORCE; its baseline is the mean log p of all other samples.
    """
    B, S = attended.weights.shape
    drawn = sample_categorical(attended.weights[:, None].expand(B, samples, S), generator)
    rows = torch.arange(B, device=target.device)[:, None]
    read = attended.values[rows, drawn.index]  # (B, samples, D)
    log_probs = log_probs_of_each(read, readout, target)
    rewards = log_probs.detach()
    others = leave_one_out(rewards.flatten()).view(B, samples) if baseline else 0.0
    return reinforce_loss(drawn.log_prob, rewards, others) - log_probs.mean()


@checked
def predict(
    attended: Attended,
    readout: Readout,
    reading: Literal["mean", "drawn", "largest", "mixture"] = "mean",
    generator: torch.Generator | None = None,
) -> Float[Tensor, "B V"]:
    """The probabilities of every answer, when the positions are read in one of four ways.

    "mean" reads the weighted mean of all values, "drawn" one position sampled from the weights, "largest" the position
    with the largest weight; "mixture" takes the weighted mean of the answers after each position.
    """
    weights, values = attended
    if reading == "mixture":
        return (weights[:, None] @ readout(values).softmax(dim=2))[:, 0]
    if reading == "drawn":
        weights = _one_hot(sample_categorical(weights[:, None], generator).index[:, 0], weights)
    elif reading == "largest":
        weights = _one_hot(weights.argmax(dim=1), weights)
    return readout((weights[:, None] @ values)[:, 0]).softmax(dim=1)


def _one_hot(index: Tensor, like: Tensor) -> Tensor:
    return one_hot(index, like.shape[1]).to(like.dtype)
