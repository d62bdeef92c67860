"""Recurrent attention model (RAM): take a glimpse of an image, update a hidden state, choose the next location.

Source   Mnih et al. 2014, arXiv:1406.6247, sections 2 and 3; lecture sankaran2019part5.
Departs  it classifies after every glimpse, and each of these answers is rewarded; tanh keeps the mean location on the
         image; the baseline is the mean of other draws for the same image, where the paper learns one.
Agrees   torch.nn.Linear and torch.nn.RNNCell put together, in values and gradients; the loss with a brute-force
         estimate, and with the exact gradient on average (tests/hard/test_ram.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import NonNegativeFloat, Plural, Positive
from attend.hard.glimpse import Even, glimpse
from attend.hard.reinforce import leave_one_out, reinforce_loss, rewards_to_go


class Episode(NamedTuple):
    """T glimpses at each of B images.

    `locations` (B, T, 2) were looked at. They were drawn around `means` (B, T, 2) with log density `log_probs` (B, T),
    which is 0 where a location was given or is the mean itself. `logits` (B, T, C) are the answers after each glimpse.
    """

    locations: Float[Tensor, "B T 2"]
    means: Float[Tensor, "B T 2"]
    log_probs: Float[Tensor, "B T"]
    logits: Float[Tensor, "B T C"]


class RAM(nn.Module):
    """Glimpse network, recurrent core, classifier and location head.

    The sensor gives `num_scales` crops of `crop_size` x `crop_size` numbers (attend.hard.glimpse).
    """

    @checked
    def __init__(
        self,
        hidden_size: Positive = 64,
        location_size: Positive = 16,
        crop_size: Even = 12,
        num_scales: Positive = 3,
        num_classes: Plural = 10,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.crop_size, self.num_scales = crop_size, num_scales
        # the glimpse network: what was seen, and where
        self.what = nn.Linear(num_scales * crop_size**2, hidden_size)
        self.where = nn.Linear(2, location_size)
        self.combine = nn.Linear(hidden_size + location_size, hidden_size)
        # the core: a vanilla RNN that begins by adding up
        self.from_input = nn.Linear(hidden_size, hidden_size)
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)
        nn.init.eye_(self.from_hidden.weight)
        for layer in (self.what, self.combine, self.from_input):
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
        # the two heads
        self.classifier = nn.Linear(hidden_size, num_classes)
        self.location_head = nn.Linear(hidden_size, 2)
        nn.init.zeros_(self.location_head.weight)  # at first: near the middle

    def step(self, crops: Tensor, location: Tensor, h: Tensor) -> Tensor:
        """The new hidden state (B, H) from a glimpse's numbers (B, P), its location (B, 2) and the old state h."""
        what = torch.relu(self.what(crops))
        where = torch.relu(self.where(location))
        g = torch.relu(self.combine(torch.cat([what, where], dim=1)))
        return torch.relu(self.from_input(g) + self.from_hidden(h))  # (B, H)

    def choose(self, h: Tensor, sigma: float) -> tuple[Tensor, Tensor, Tensor]:
        """The mean of the next location (B, 2), a location drawn around it, and the log of its density (B).

        With a `sigma` of 0 the location is the mean, and the log density counts as 0.
        """
        mean = torch.tanh(self.location_head(h))  # (B, 2)
        if sigma == 0:
            return mean, mean.detach(), torch.zeros_like(mean[:, 0])
        policy = Normal(mean, sigma)
        location = policy.sample()  # no gradient comes back from here
        return mean, location, policy.log_prob(location).sum(dim=1)

    @checked
    def forward(
        self,
        images: Float[Tensor, "B Y X"],
        steps: Positive = 4,
        sigma: NonNegativeFloat = 0.0,
        given: Float[Tensor, "B S 2"] | None = None,
    ) -> Episode:
        """`steps` glimpses at each image: the first S at `given` locations, the others at locations of its own.

        These are drawn around their means with standard deviation `sigma` along both axes; with 0 they are the means.
        Raises ValueError for more given locations than steps.
        """
        S = 0 if given is None else given.shape[1]
        expect(steps >= S, "given", given, f"at most {steps} locations, one for each step")
        h, glimpses = images.new_zeros(len(images), self.hidden_size), []
        for t in range(steps):
            mean, location, log_prob = self.choose(h, sigma)
            if t < S:  # somebody else says where to look
                location, log_prob = given[:, t], torch.zeros_like(log_prob)
            crops = glimpse(images, location, self.crop_size, self.num_scales)
            h = self.step(crops.flatten(1), location, h)
            glimpses.append((location, mean, log_prob, self.classifier(h)))
        return Episode(
            *(torch.stack(part, dim=1) for part in zip(*glimpses, strict=True)),
        )


@checked
def right_log_probs(
    logits: Float[Tensor, "B T C"],
    labels: Int[Tensor, "B"],
) -> Float[Tensor, "B T"]:
    """The log-probability of the right class after each glimpse. Raises ValueError for a label that is no class."""
    expect(
        bool((labels >= 0).all() and (labels < logits.shape[2]).all()),
        "labels",
        labels,
        f"whole numbers from 0 to {logits.shape[2] - 1}",
    )
    classes = labels[:, None].expand(-1, logits.shape[1])  # (B, T)
    return -F.cross_entropy(logits.transpose(1, 2), classes, reduction="none")


@checked
def ram_loss(
    episode: Episode,
    labels: Int[Tensor, "B"],
    draws: Plural,
    weight: NonNegativeFloat = 1.0,
) -> Float[Tensor, ""]:
    """Cross-entropy after every glimpse, plus `weight` times the REINFORCE loss of where it looked.

    The batch holds the same images `draws` times over, one copy after the other. Each glimpse is rewarded with the
    probability of the right class after it. Raises ValueError for a batch that does not hold equal copies.
    """
    log_probs = right_log_probs(episode.logits, labels)  # (B, T)
    expect(len(labels) % draws == 0, "draws", draws, f"a number that divides {len(labels)}, the batch")
    # how it turned out, from each glimpse on, and for other draws
    to_go = rewards_to_go(log_probs.exp().detach())  # (B, T)
    copies = to_go.view(draws, -1, to_go.shape[1])  # (draws, images, T)
    baseline = leave_one_out(copies).view_as(to_go)
    where = reinforce_loss(episode.log_probs, to_go, baseline)
    return -log_probs.mean() + weight * where
