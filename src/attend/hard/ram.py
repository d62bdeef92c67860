"""Recurrent attention model: look at one small part at a time, remember it, and decide where to look next.

Source   Mnih et al. 2014, arXiv:1406.6247, sections 2 and 3; lecture sankaran2019part5.
Departs  the class is asked after every glimpse, and a place is rewarded with the chance that what follows gives it;
         tanh holds the mean of a place on the image; the place's gradient goes on into the summary.
Agrees   torch.nn.Linear and torch.nn.RNNCell put together, in values and gradients; brute force for the rewards
         (tests/hard/test_ram.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.hard.glimpse import glimpse, numbers
from attend.hard.reinforce import log_density, normalised, surrogate
from attend.memory.supervision import Readout


class Looks(NamedTuple):
    """What T glimpses were, and what was said after each.

    `places` (B, T, 2) were looked at. They were drawn around `means` (B, T, 2); `log_chances` (B, T) are the logs of
    their densities, 0 where a place was given or taken at the mean. `values` (B, T) are the rewards expected before
    each glimpse, `scores` (B, T, K) the class scores after it, `summaries` (B, T, H) what is remembered after it.
    """

    places: Float[Tensor, "B T 2"]
    means: Float[Tensor, "B T 2"]
    log_chances: Float[Tensor, "B T"]
    values: Float[Tensor, "B T"]
    scores: Float[Tensor, "B T K"]
    summaries: Float[Tensor, "B T H"]


class Ram(nn.Module):
    """A sensor, an encoder, a memory, and three readers of the memory: what it is, where to look, how well it goes.

    The encoder makes g = relu(W_g [relu(W_ρ ρ + b_ρ), relu(W_l l + b_l)] + b_g) of what is seen (ρ: `scales` crops of
    `size` x `size` numbers) and of where (l). The memory is h_t = relu(W_h g_t + U h_{t-1} + b_h), h_0 = 0. It is read
    by the classes' scores W_y h + b_y, the mean of the next place tanh(W_m h + b_m), and the value W_v h + b_v.

    `H` is the width of h, `G` that of g and of what is seen, `L` that of where. Raises ValueError for a number below 1
    and for an odd `size`.
    """

    @checked
    def __init__(
        self,
        H: int = 128,
        G: int = 128,
        L: int = 32,
        size: int = 12,
        scales: int = 3,
        classes: int = 10,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        for name, number in {"H": H, "G": G, "L": L, "scales": scales, "classes": classes}.items():
            expect(number > 0, name, number, "a positive whole number")
        expect(size > 0 and size % 2 == 0, "size", size, "an even number above 0")
        self.H, self.size, self.scales = H, size, scales
        self.what = Readout(numbers(size, scales), G, generator)
        self.where = Readout(2, L, generator)
        self.encode = Readout(G + L, G, generator)
        self.take = Readout(G, H, generator)
        self.keep = nn.Parameter(nn.init.orthogonal_(torch.empty(H, H), generator=generator))
        self.classify = Readout(H, classes, generator)
        self.aim = Readout(H, 2, generator)
        self.value = Readout(H, 1, generator)

    @checked
    def start(self, batch: int) -> Float[Tensor, "B H"]:
        """The empty summary h_0 = 0, one row for each of `batch` images."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return self.keep.new_zeros(batch, self.H)

    @checked
    def plan(
        self,
        state: Float[Tensor, "B H"],
    ) -> tuple[Float[Tensor, "B 2"], Float[Tensor, "B"]]:
        """The mean of the next place, and the reward expected from now on.

        The value learns from the summary and does not teach it: no gradient of it goes on into the memory.
        """
        self._check(state)
        return self.aim(state).tanh(), self.value(state.detach()).squeeze(1)

    @checked
    def encoded(
        self,
        images: Float[Tensor, "B Y X"],
        places: Float[Tensor, "B 2"],
    ) -> Float[Tensor, "B G"]:
        """What one glimpse says: the numbers of the sensor and its place, as one vector."""
        seen = glimpse(images, places, self.size, self.scales).flatten(1)
        parts = self.what(seen).relu(), self.where(places).relu()
        return self.encode(torch.cat(parts, dim=1)).relu()

    @checked
    def step(
        self,
        images: Float[Tensor, "B Y X"],
        places: Float[Tensor, "B 2"],
        state: Float[Tensor, "B H"],
    ) -> tuple[Float[Tensor, "B K"], Float[Tensor, "B H"]]:
        """Look at a place of each image: the class scores after it (B, K), and the new summary."""
        self._check(state)
        code = self.encoded(images, places)
        state = (self.take(code) + state @ self.keep.T).relu()
        return self.classify(state), state

    def _check(self, state: Tensor) -> None:
        expect(state.shape[1] == self.H, "state", state, f"summaries of width H = {self.H}")

    @checked
    def forward(
        self,
        images: Float[Tensor, "B Y X"],
        T: int = 5,
        given: Float[Tensor, "B S 2"] | None = None,
        sigma: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> Looks:
        """T glimpses at each image: the first S at places that are `given`, the others at places of its own.

        A place of its own is drawn around its mean with standard deviation `sigma` along both axes; with 0 it is the
        mean. Raises ValueError for T below 1, a negative sigma, and more places given than glimpses.
        """
        S = 0 if given is None else given.shape[1]
        expect(T > 0, "T", T, "a positive whole number")
        expect(S <= T, "given", given, f"at most T = {T} places")
        expect(0 <= sigma < float("inf"), "sigma", sigma, "0 or a positive number")
        state, looks = self.start(len(images)), []
        for t in range(T):
            mean, value = self.plan(state)
            place = given[:, t] if t < S else mean.detach()
            log_chance = torch.zeros_like(value)
            if t >= S and sigma > 0:
                place = place + sigma * torch.randn(place.shape, generator=generator, dtype=place.dtype)
                log_chance = log_density(place, mean, sigma)
            scores, state = self.step(images, place, state)
            looks.append((place, mean, log_chance, value, scores, state))
        return Looks(*(torch.stack(part, dim=1) for part in zip(*looks, strict=True)))


@checked
def chances(
    scores: Float[Tensor, "B T K"],
    labels: Int[Tensor, "B"],
) -> Float[Tensor, "B T"]:
    """The chance that each glimpse gives to the right class. Raises ValueError for a label that is no class."""
    known = bool((labels >= 0).all() and (labels < scores.shape[2]).all())
    expect(known, "labels", labels, f"whole numbers from 0 to {scores.shape[2] - 1}")
    return scores.softmax(dim=2).gather(2, labels[:, None, None].expand(-1, scores.shape[1], 1)).squeeze(2)


@checked
def rewards(right: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """What a place is paid: the mean chance of the right class over its own glimpse and all that follow."""
    later = right.flip(1).cumsum(1).flip(1)
    return later / torch.arange(right.shape[1], 0, -1)


@checked
def loss(
    looks: Looks,
    labels: Int[Tensor, "B"],
    weight: float = 0.3,
) -> Float[Tensor, ""]:
    """What is made small: the surprise at the class, the places that paid less than expected, the error of that value.

    The first part is the cross-entropy after every glimpse, in nats. The second is `surrogate` with the normalised
    advantage, times `weight`; places that were given have no part in it. The third is the mean squared error.
    """
    known = 0 <= weight < float("inf")
    expect(known, "weight", weight, "0 or a positive number")
    paid = rewards(chances(looks.scores, labels)).detach()
    answers = labels.repeat_interleave(looks.scores.shape[1])
    named = cross_entropy(looks.scores.flatten(0, 1), answers)
    advantage = normalised((paid - looks.values).detach())
    aimed = surrogate(looks.log_chances, advantage)
    return named + weight * aimed + (paid - looks.values).square().mean()
