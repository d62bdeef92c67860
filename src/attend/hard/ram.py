"""Recurrent attention model (RAM): take a glimpse of an image, update a hidden state, choose the next location.

Source   Mnih et al. 2014, arXiv:1406.6247, sections 2 and 3; lecture sankaran2019part5.
Departs  it classifies after every glimpse, and a location is rewarded with the probability of the right class from
         then on; tanh keeps the mean location on the image; the location head's gradient goes on into the hidden state.
Agrees   torch.nn.Linear and torch.nn.RNNCell put together, in values and gradients; brute force for the rewards
         (tests/hard/test_ram.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.core.types import NonNegativeFloat, Positive
from attend.hard.glimpse import Even, glimpse
from attend.hard.reinforce import gaussian_log_prob, normalised, reinforce_loss


class Episode(NamedTuple):
    """T glimpses at each of B images.

    `locations` (B, T, 2) were looked at. They were drawn around `means` (B, T, 2) with log density `log_probs` (B, T),
    which is 0 where a location was given or is the mean itself. `baselines` (B, T) are the rewards predicted before
    each glimpse, `logits` (B, T, C) the class logits and `hidden` (B, T, H) the hidden states after it.
    """

    locations: Float[Tensor, "B T 2"]
    means: Float[Tensor, "B T 2"]
    log_probs: Float[Tensor, "B T"]
    baselines: Float[Tensor, "B T"]
    logits: Float[Tensor, "B T C"]
    hidden: Float[Tensor, "B T H"]


class RAM(nn.Module):
    """Glimpse network, recurrent core, and three heads on its hidden state: class, next location, baseline.

    The sensor gives `num_scales` crops of `crop_size` x `crop_size` numbers (attend.hard.glimpse).
    """

    @checked
    def __init__(
        self,
        hidden_size: Positive = 128,
        glimpse_size: Positive = 128,
        location_size: Positive = 32,
        crop_size: Even = 12,
        num_scales: Positive = 3,
        num_classes: Positive = 10,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.hidden_size, self.crop_size, self.num_scales = hidden_size, crop_size, num_scales
        self.what = nn.Linear(num_scales * crop_size**2, glimpse_size)  # glimpse network
        self.where = nn.Linear(2, location_size)
        self.combine = nn.Linear(glimpse_size + location_size, glimpse_size)
        self.from_input = nn.Linear(glimpse_size, hidden_size)  # core network
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)
        self.classifier = nn.Linear(hidden_size, num_classes)
        self.location_head = nn.Linear(hidden_size, 2)
        self.baseline_head = nn.Linear(hidden_size, 1)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """U is orthogonal, all other weights are uniform in ±√(1 / inputs), biases are 0."""
        for layer in self.children():
            if layer is self.from_hidden:
                nn.init.orthogonal_(layer.weight, generator=generator)
            else:
                bound = layer.in_features**-0.5
                nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
                nn.init.zeros_(layer.bias)

    def step(self, pixels: Tensor, location: Tensor, h: Tensor) -> Tensor:
        """The new hidden state (B, H) from a glimpse's pixels (B, P), its location (B, 2) and the old state h."""
        what = torch.relu(self.what(pixels))
        where = torch.relu(self.where(location))
        g = torch.relu(self.combine(torch.cat([what, where], dim=1)))
        return torch.relu(self.from_input(g) + self.from_hidden(h))

    def plan(self, h: Tensor) -> tuple[Tensor, Tensor]:
        """The mean of the next location (B, 2), and the reward expected from here on, the baseline (B).

        The baseline's error trains its own head alone: no gradient of it reaches the hidden state.
        """
        return torch.tanh(self.location_head(h)), self.baseline_head(h.detach()).squeeze(1)

    @checked
    def forward(
        self,
        images: Float[Tensor, "B Y X"],
        steps: Positive = 5,
        given: Float[Tensor, "B S 2"] | None = None,
        sigma: NonNegativeFloat = 0.0,
        generator: torch.Generator | None = None,
    ) -> Episode:
        """`steps` glimpses at each image: the first S at `given` locations, the others at locations of its own.

        These are drawn around their means with standard deviation `sigma` along both axes; with 0 they are the means.
        Raises ValueError for more given locations than steps.
        """
        S = 0 if given is None else given.shape[1]
        expect(steps >= S, "given", given, f"at most {steps} locations, one for each step")
        h = images.new_zeros(len(images), self.hidden_size)
        glimpses = []
        for t in range(steps):
            mean, baseline = self.plan(h)
            location, log_prob = mean.detach(), torch.zeros_like(baseline)
            if t < S:
                location = given[:, t]
            elif sigma > 0:
                noise = torch.randn(mean.shape, generator=generator, dtype=mean.dtype, device=mean.device)
                location = location + sigma * noise
                log_prob = gaussian_log_prob(location, mean, sigma)
            pixels = glimpse(images, location, self.crop_size, self.num_scales).flatten(1)
            h = self.step(pixels, location, h)
            glimpses.append((location, mean, log_prob, baseline, self.classifier(h), h))
        return Episode(*(torch.stack(part, dim=1) for part in zip(*glimpses, strict=True)))


@checked
def correct_probs(
    logits: Float[Tensor, "B T C"],
    labels: Int[Tensor, "B"],
) -> Float[Tensor, "B T"]:
    """The probability of the right class after each glimpse. Raises ValueError for a label that is no class."""
    known = bool((labels >= 0).all() and (labels < logits.shape[2]).all())
    expect(known, "labels", labels, f"whole numbers from 0 to {logits.shape[2] - 1}")
    return logits.softmax(dim=2).gather(2, labels[:, None, None].expand(-1, logits.shape[1], 1)).squeeze(2)


@checked
def rewards(correct: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """The reward of each location: the mean probability of the right class over its own glimpse and all later ones."""
    to_go = correct.flip(1).cumsum(1).flip(1)
    return to_go / torch.arange(correct.shape[1], 0, -1, device=correct.device)


@checked
def loss(
    episode: Episode,
    labels: Int[Tensor, "B"],
    policy_weight: NonNegativeFloat = 0.3,
) -> Float[Tensor, ""]:
    """Cross-entropy after every glimpse, plus `policy_weight` times the REINFORCE loss, plus the baseline's error.

    REINFORCE uses normalised advantages; locations that were given have no part in it. The baseline's error is the
    mean squared difference from the rewards.
    """
    reward = rewards(correct_probs(episode.logits, labels)).detach()
    each_label = labels.repeat_interleave(episode.logits.shape[1])
    classification = cross_entropy(episode.logits.flatten(0, 1), each_label)
    advantage = normalised((reward - episode.baselines).detach())
    policy = reinforce_loss(episode.log_probs, advantage)
    return classification + policy_weight * policy + (reward - episode.baselines).square().mean()
