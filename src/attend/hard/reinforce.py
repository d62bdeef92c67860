"""Hard attention over windows, and the score-function gradient (REINFORCE) that teaches it where to look.

Source   Williams 1992, Simple statistical gradient-following algorithms (REINFORCE); lecture sankaran2019part5.
Departs  a reward to be raised, or a cost f to be lowered; a baseline may differ between samples.
Agrees   exact gradients by enumeration and in closed form, within three standard errors (tests/hard/test_reinforce.py).
"""

import math
from typing import Annotated, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical

from attend.core.expect import checked, expect
from attend.core.types import Finite, Plural, Positive, PositiveFloat, Rule

PROBABILITIES = Rule(
    "probabilities: none below 0, each row sums to 1",
    lambda p: bool((p >= 0).all()) and bool(((p.sum(dim=-1) - 1).abs() < 1e-3).all()),
)
SEVERAL = Rule("at least two samples", lambda f: len(f) > 1)
PLURAL = Rule("at least two numbers", lambda f: f.numel() > 1)


class Looks(NamedTuple):
    """T windows drawn from each of B photos: `index` (B, T), `log_probs` (B, T), `entropies` (B, T) of the policies.

    `logits` (B, T, C) are the answers after each look.
    """

    index: Int[Tensor, "B T"]
    log_probs: Float[Tensor, "B T"]
    entropies: Float[Tensor, "B T"]
    logits: Float[Tensor, "B T C"]


class HardAttention(nn.Module):
    """Draws windows of a photo by their thumbnails, one after the other and none twice, and reads no others."""

    @checked
    def __init__(
        self, thumbnail_size: Positive, window_size: Positive, num_classes: Plural, hidden_size: Positive = 32
    ):
        super().__init__()
        self.score = nn.Sequential(
            nn.Linear(thumbnail_size, hidden_size),
            nn.Tanh(),
            nn.Linear(hidden_size, 1),
        )
        self.reader = nn.Sequential(
            nn.Linear(window_size, 64),
            nn.ReLU(),
            nn.Linear(64, num_classes),
        )

    @checked
    def forward(
        self,
        thumbnails: Float[Tensor, "B S {self.score[0].in_features}"],
        windows: Float[Tensor, "B S {self.reader[0].in_features}"],
        looks: Positive = 1,
    ) -> Looks:
        """Where it looks, and what it answers after each look. Raises ValueError for more looks than windows."""
        B, S, _ = windows.shape
        expect(looks <= S, "looks", looks, f"at most {S}, the number of windows")
        scores = self.score(thumbnails)[..., 0]  # (B, S)
        seen = torch.zeros_like(scores, dtype=torch.bool)
        logits, steps = 0, []
        for _ in range(looks):
            policy = Categorical(logits=scores.masked_fill(seen, -torch.inf))
            index = policy.sample()  # (B); no gradient comes back from here
            # read the windows that were drawn, (B, P), and no others
            logits = logits + self.reader(windows[torch.arange(B), index])
            seen = seen.scatter(1, index[:, None], True)
            steps.append(
                (index, policy.log_prob(index), policy.entropy(), logits),
            )
        return Looks(
            *(torch.stack(part, dim=1) for part in zip(*steps, strict=True)),
        )


@checked
def rewards_to_go(rewards: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """What each of T looks can still change: its own reward plus all later ones."""
    return rewards.flip(1).cumsum(dim=1).flip(1)


@checked
def estimator_variance(
    probs: Annotated[Float[Tensor, "*B S"], PROBABILITIES],
    rewards: Float[Tensor, "*B S"],
    baseline: Finite | Float[Tensor, "*#B 1"] = 0.0,
) -> Float[Tensor, "*B"]:
    """The exact variance of REINFORCE's estimate of ∂ E[R] / ∂ logits from one draw, summed over the S numbers.

    It needs the rewards of all S choices. When k is drawn, the estimate is (R_k - baseline) (onehot(k) - probs).
    """
    advantage = rewards - baseline
    length = 1 - 2 * probs + probs.square().sum(dim=-1, keepdim=True)  # |onehot(k) - probs|² for each k
    mean = exact_gradient(probs, advantage)
    return (probs * advantage.square() * length).sum(dim=-1) - mean.square().sum(dim=-1)


@checked
def sample_gaussian(
    mean: Float[Tensor, "*B A"],
    sigma: PositiveFloat,
    count: Positive,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "N *B A"]:
    """`count` samples around each mean; the standard deviation along each of the A axes is `sigma`.

    No gradient flows from the samples to the mean.
    """
    noise = torch.randn(count, *mean.shape, generator=generator, dtype=mean.dtype)
    return mean.detach() + sigma * noise


@checked
def gaussian_log_prob(
    sample: Float[Tensor, "*B A"],
    mean: Float[Tensor, "*#B A"],
    sigma: PositiveFloat,
) -> Float[Tensor, "*B"]:
    """The log of the density of each sample under N(mean, σ²I), in nats."""
    squared = ((sample - mean) / sigma).square().sum(dim=-1)
    return -0.5 * squared - sample.shape[-1] * (math.log(sigma) + 0.5 * math.log(2 * math.pi))


@checked
def score(
    sample: Float[Tensor, "*B A"],
    mean: Float[Tensor, "*#B A"],
    sigma: PositiveFloat,
) -> Float[Tensor, "*B A"]:
    """The score function of a Gaussian, ∂ log p(sample) / ∂ mean = (sample − mean) / σ²."""
    return (sample - mean) / sigma**2


@checked
def policy_gradient(
    scores: Float[Tensor, "N *B A"],
    f: Float[Tensor, "N *B"],
    baseline: Finite | Float[Tensor, ""] | Float[Tensor, "#N *#B"] = 0.0,
) -> Float[Tensor, "*B A"]:
    """REINFORCE: the estimate of ∂ E[f] / ∂ mean from N samples, the mean of (f − baseline) · score.

    It is unbiased for every baseline that does not depend on the sample that it goes with.
    """
    advantage = f - baseline
    return (scores * advantage[..., None]).mean(dim=0)


@checked
def leave_one_out(f: Annotated[Float[Tensor, "N *B"], SEVERAL]) -> Float[Tensor, "N *B"]:
    """The leave-one-out baseline: for each of N samples the mean f of the other N − 1."""
    return (f.sum(dim=0) - f) / (len(f) - 1)


@checked
def reinforce_loss(
    log_probs: Float[Tensor, "*B"],
    rewards: Float[Tensor, "*B"],
    baseline: Finite | Float[Tensor, "*#B"] = 0.0,
) -> Float[Tensor, ""]:
    """A surrogate loss whose gradient is the REINFORCE estimate: −mean((reward − baseline) · log p).

    The advantage, reward − baseline, is held fixed. Rewards are to grow; where a loss f is to fall, the reward is −f.
    Only the gradient of this loss has a meaning, not its value.
    """
    advantage = (rewards - baseline).detach()
    return -(advantage * log_probs).mean()


@checked
def normalised(advantage: Annotated[Float[Tensor, "*B"], PLURAL]) -> Float[Tensor, "*B"]:
    """Advantages with mean 0 and standard deviation 1 over everything given; all 0 where they are all equal.

    Numbers count as equal when they differ by less than a millionth of the largest.
    """
    centred = advantage - advantage.mean()
    deviation = centred.square().mean().sqrt()
    if deviation <= 1e-6 * advantage.abs().max():
        return torch.zeros_like(advantage)
    return centred / deviation


class Choice(NamedTuple):
    """One of S positions drawn for each row: its `index` (B, T) and the log of its probability, `log_prob` (B, T)."""

    index: Int[Tensor, "B T"]
    log_prob: Float[Tensor, "B T"]


@checked
def sample_categorical(
    probs: Annotated[Float[Tensor, "B T S"], PROBABILITIES],
    generator: torch.Generator | None = None,
) -> Choice:
    """Draw one of S positions from each row of probabilities; `log_prob` carries their gradient."""
    rows = probs.detach().flatten(0, 1)
    index = torch.multinomial(rows, 1, generator=generator).view(probs.shape[:2])
    chosen = probs.gather(2, index[:, :, None]).squeeze(2)
    return Choice(index, chosen.clamp(min=torch.finfo(probs.dtype).tiny).log())


@checked
def exact_gradient(
    probs: Annotated[Float[Tensor, "*B S"], PROBABILITIES],
    f: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B S"]:
    """The exact ∂ E[f] / ∂ logits of a categorical distribution over S positions, p (f − E[f]).

    It needs f at all S positions, where REINFORCE needs it at one.
    """
    return probs * (f - (probs * f).sum(dim=-1, keepdim=True))


@checked
def entropy(probs: Annotated[Float[Tensor, "*B S"], PROBABILITIES]) -> Float[Tensor, "*B"]:
    """The entropy −Σ p log p in nats: 0 where one probability is 1, log S where all are equal."""
    return -torch.special.xlogy(probs, probs).sum(dim=-1)
