"""Finding a speed limit: RAM and how it is taught, random glimpses, a convolutional net; and RAM on wide canvases."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.fast.ram import FastRAM, block_means, pick
from attend.hard.ram import RAM, Episode, ram_loss, right_log_probs
from attend.hard.reinforce import reinforce_loss, rewards_to_go
from attend.memory.convnet import ConvNet
from attend.tasks import signs
from attend.tasks.clutter import SMALL
from attend.train.fit import fit

CLASSES = len(signs.LIMITS)
TUNED_ON = (100,)

Side = Literal["RAM", "random", "no baseline", "little randomness"]
"""RAM; the same net with random locations; REINFORCE without a baseline; with locations drawn close to their means."""

STEPS, T = 400, 3
CONV_STEPS = 400
"""As many canvases as RAM sees, each once and not four times."""
RATES = (5e-3, 1e-2, 2e-2)
RATE: dict[str, float] = {
    "RAM": 5e-3,
    "random": 5e-3,
    "no baseline": 5e-3,
    "little randomness": 5e-3,
    "conv": 2e-2,
}
"""The highest rate of Adam for each side: the best of RATES by right answers on validation canvases (`tune`)."""

IMAGES, DRAWS, WEIGHT = 64, 4, 2.0
"""A batch holds so many canvases, each so often; and the weight of the REINFORCE loss."""
WIDE, NARROW, CLOSE = 0.35, 0.15, 0.03
"""The standard deviation of locations around their means, at the first step and at the last; with little randomness."""

WIDE_T, WIDE_RATE = 4, 7e-3
WIDE_STEPS = {64: 200, 128: 200}
WIDE_COUNT = {64: 6_000, 128: 2_500}
"""Glimpses, rate, steps and training canvases for wide canvases."""


@lru_cache(maxsize=1)
def bank(width: int, count: int) -> signs.Signs:
    """The training canvases, the same for every seed and side."""
    return signs.canvases("train", count, width, generator=torch.Generator().manual_seed(10))


def held_out(split: str, seed: int, width: int = signs.WIDTH, side: int = SMALL, count: int = 3_000) -> signs.Signs:
    """Canvases for tests, other ones for each seed."""
    return signs.canvases(split, count, width, side, generator=torch.Generator().manual_seed(3_000 + seed))


def middle(labels: Tensor) -> Tensor:
    """Where every search begins: the middle of the canvas, (N, 1, 2)."""
    return torch.zeros(len(labels), 1, 2)


@checked
def thrown(count: Positive, steps: Positive, width: Positive, generator: torch.Generator | None = None) -> Tensor:
    """Locations (count, steps, 2): the middle, and then random ones, even over where the middle of a digit can lie."""
    anywhere = (1 - SMALL / width) * (2 * torch.rand(count, steps, 2, generator=generator) - 1)
    anywhere[:, 0] = 0
    return anywhere


@recipe
class SignRecipe:
    """One of the sides on small canvases; Adam, its rate up and down once."""

    side: Side = "RAM"
    seed: Seed = 0
    steps: Positive = STEPS
    rate: PositiveFloat | None = None
    count: Positive = 12_000

    def build(self) -> RAM:
        """The model before training."""
        torch.manual_seed(self.seed)
        model = fast(RAM(num_classes=CLASSES))
        return model

    def batches(self) -> Iterator[signs.Signs]:
        """Endless batches: DRAWS copies of IMAGES canvases."""
        generator, data = torch.Generator().manual_seed(1_000 + self.seed), bank(signs.WIDTH, self.count)
        while True:
            for rows in torch.randperm(self.count, generator=generator).split(IMAGES):
                yield signs.Signs(*(part[rows.repeat(DRAWS)] for part in data))

    def train(self) -> RAM:
        """Train from the start."""
        model, rate, done = self.build(), self.rate or RATE[self.side], iter(range(self.steps))
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)

        def loss(model: RAM, batch: signs.Signs) -> Tensor:
            share = next(done) / self.steps
            sigma = CLOSE if self.side == "little randomness" else WIDE + (NARROW - WIDE) * share
            if self.side == "random":
                given = thrown(len(batch.labels), T, signs.WIDTH)
                return -right_log_probs(model(batch.images, T, given=given).logits, batch.labels).mean()
            episode = model(batch.images, T, sigma, middle(batch.labels))
            if self.side == "no baseline":
                return bare_loss(episode, batch.labels)
            return ram_loss(episode, batch.labels, DRAWS, WEIGHT)

        fit(
            model,
            loss,
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            clip=1.0,
            label=f"looking for a sign ({self.side}, seed {self.seed})",
        )
        return model.requires_grad_(False)


def bare_loss(episode: Episode, labels: Tensor) -> Tensor:
    """The loss of RAM without a baseline."""
    log_probs = right_log_probs(episode.logits, labels)
    to_go = rewards_to_go(log_probs.exp().detach())
    return -log_probs.mean() + WEIGHT * reinforce_loss(episode.log_probs, to_go)


@recipe
class ConvRecipe:
    """A convolutional net on the same canvases. Its last layer stands at every place of an image of any width."""

    seed: Seed = 0
    steps: Positive = CONV_STEPS
    rate: PositiveFloat | None = None
    count: Positive = 12_000

    def build(self) -> ConvNet:
        """The net before training."""
        torch.manual_seed(self.seed)
        return ConvNet(image_size=20, num_classes=CLASSES)

    def train(self) -> ConvNet:
        """Train from the start."""
        net, rate, data = self.build(), self.rate or RATE["conv"], bank(signs.WIDTH, self.count)
        generator = torch.Generator().manual_seed(1_000 + self.seed)

        def batches() -> Iterator[tuple[Tensor, Tensor]]:
            while True:
                for rows in torch.randperm(self.count, generator=generator).split(IMAGES):
                    yield data.images[rows], data.labels[rows]

        optimiser = torch.optim.Adam(net.parameters(), lr=rate)
        fit(
            net,
            lambda net, batch: cross_entropy(net(batch[0]), batch[1]),
            batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            clip=1.0,
            label=f"looking for a sign (conv net, seed {self.seed})",
        )
        return net.requires_grad_(False)


@lru_cache(maxsize=8)
@torch.enable_grad()
def small(seed: int) -> RAM:
    """The trained RAM of the small canvases, the same for all who ask."""
    return SignRecipe("RAM", seed).train()


class CopiesRAM(FastRAM):
    """A RAM for wide images: while it trains, the means are made once for all DRAWS copies of an image."""

    def forward(self, images: Tensor, steps: int = 4, sigma: float = 0.0, given: Tensor | None = None) -> Episode:
        """As RAM does."""
        copies, given = DRAWS if self.training else 1, images.new_zeros(len(images), 0, 2) if given is None else given
        expect(
            copies == 1 or torch.equal(images, images[: len(images) // copies].repeat(copies, 1, 1)),
            "images",
            images,
            f"{copies} copies of a batch, one after the other, while it trains",
        )
        means = [one.repeat(copies, 1, 1) for one in block_means(images[: len(images) // copies], self.num_scales)]
        h, glimpses = images.new_zeros(len(images), self.hidden_size), []
        for t in range(steps):
            mean, location, log_prob = self.choose(h, sigma)
            if t < given.shape[1]:
                location, log_prob = given[:, t], torch.zeros_like(log_prob)
            h = self.step(pick(means, location, tuple(images.shape[1:]), self.crop_size), location, h)
            glimpses.append((location, mean, log_prob, self.classifier(h)))
        return Episode(*(torch.stack(part, dim=1) for part in zip(*glimpses, strict=True)))


@torch.no_grad()
def grown(model: RAM) -> CopiesRAM:
    """A model for canvases twice as wide, which begins with what this one knows.

    It has one scale more, and the same pixels are half as large a share of the canvas.
    """
    wider = RAM(model.hidden_size, model.where.out_features, model.crop_size, model.num_scales + 1, CLASSES)
    wider.__class__ = CopiesRAM
    for name, old in model.state_dict().items():
        new = wider.state_dict()[name]
        if name == "what.weight":
            new[:, : old.shape[1]] = old
            new[:, old.shape[1] :] = 0.3 * old[:, -(model.crop_size**2) :]
        else:
            new.copy_(2 * old if name == "where.weight" else old / 2 if name.startswith("location_head") else old)
    return wider


@recipe
class WideRecipe:
    """RAM on canvases of 64 or 128 pixels, grown from the one on half as wide ones."""

    width: Literal[64, 128] = 64
    seed: Seed = 0
    steps: Positive | None = None

    def build(self) -> CopiesRAM:
        """The model before it has seen a canvas of this width."""
        return grown(small(self.seed) if self.width == 2 * signs.WIDTH else medium(self.seed))

    def train(self) -> CopiesRAM:
        """Train it further."""
        steps, count = self.steps or WIDE_STEPS[self.width], WIDE_COUNT[self.width]
        model, data, done = self.build(), bank(self.width, count), iter(range(steps))
        torch.manual_seed(self.seed)
        generator = torch.Generator().manual_seed(2_000 + self.seed)

        def batches() -> Iterator[signs.Signs]:
            while True:
                for rows in torch.randperm(count, generator=generator).split(IMAGES):
                    if len(rows) == IMAGES:
                        yield signs.Signs(*(part[rows.repeat(DRAWS)] for part in data))

        def loss(model: RAM, batch: signs.Signs) -> Tensor:
            share = next(done) / steps
            episode = model(batch.images, WIDE_T, 0.3 - 0.2 * share, middle(batch.labels))
            return ram_loss(episode, batch.labels, DRAWS, WEIGHT)

        optimiser = torch.optim.Adam(model.parameters(), lr=WIDE_RATE)
        fit(
            model,
            loss,
            batches(),
            steps=steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, WIDE_RATE, total_steps=steps),
            clip=1.0,
            label=f"looking for a sign ({self.width} pixels, seed {self.seed})",
        )
        return model.requires_grad_(False)


@lru_cache(maxsize=8)
@torch.enable_grad()
def medium(seed: int) -> RAM:
    """The trained RAM of canvases 64 pixels wide."""
    return WideRecipe(64, seed).train()


@torch.no_grad()
def search(model: RAM, of: signs.Signs, steps: int = T, sigma: float = 0.0, random: bool = False) -> Episode:
    """Glimpses at canvases: from the middle on at locations of the model's choice, or thrown."""
    width, generator = of.images.shape[1], torch.Generator().manual_seed(5)
    given = thrown(len(of.labels), steps, width, generator) if random else middle(of.labels)
    return model(of.images, steps, sigma, given)


def right(logits: Tensor, labels: Tensor) -> Tensor:
    """The share of right answers; after each glimpse, (T), where there are several."""
    return (logits.argmax(dim=-1) == (labels if logits.ndim == 2 else labels[:, None])).float().mean(dim=0)


def tune(steps: int = 300) -> None:
    """Print how every side does on validation canvases with every rate, on the seed of TUNED_ON."""
    (seed,) = TUNED_ON
    of = held_out("validation", seed)
    for side in RATE:
        found = {}
        for rate in RATES:
            if side == "conv":
                logits = ConvRecipe(seed, CONV_STEPS, rate).train()(of.images)
                found[rate] = round(right(logits, of.labels).item(), 3)
            else:
                model = SignRecipe(side, seed, steps, rate).train()
                found[rate] = round(right(search(model, of, random=side == "random").logits, of.labels)[-1].item(), 3)
        print(side, found, flush=True)
