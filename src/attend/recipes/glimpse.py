"""Networks that see a single glimpse: what does it show, and which way should one look next?

Three sensors give about as many numbers: three scales, one sharp crop, one crop of half the sharpness that is twice as
wide. The others give all pixels: of a window around the location, of the canvas, of the canvas and where it is looked
at.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss

from attend.core.expect import checked, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.hard.glimpse import GlimpseNet, glimpse
from attend.tasks import search
from attend.train.fit import fit

Sensor = Literal["three scales", "sharp crop", "coarse crop", "window", "canvas", "canvas and location"]
SENSORS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "three scales": lambda images, locations: glimpse(images, locations, size=12, scales=3).flatten(1),
    "sharp crop": lambda images, locations: glimpse(images, locations, size=22, scales=1).flatten(1),
    "coarse crop": lambda images, locations: glimpse(images, locations, size=22, scales=2)[:, 1].flatten(1),
    "window": lambda images, locations: glimpse(images, locations, size=60, scales=1).flatten(1),
    "canvas": lambda images, locations: images.flatten(1),
    "canvas and location": lambda images, locations: torch.cat([images.flatten(1), locations], dim=1),
}
"""From images (B, 60, 60) and locations (B, 2) to 432, 484, 484, 3,600, 3,600 and 3,602 numbers (B, I)."""

TUNED_ON = (100,)
RATES = (2e-3, 4e-3, 8e-3, 1.6e-2)
RATE: dict[str, float] = {
    "three scales": 1.6e-2,
    "sharp crop": 8e-3,
    "coarse crop": 1.6e-2,
    "window": 8e-3,
    "canvas": 8e-3,
    "canvas and location": 8e-3,
}
"""The highest rate of Adam for each sensor: the best of RATES by the loss on validation canvases (`tune`)."""

FAR = 28
"""Locations to learn from lie up to so many pixels from the middle of the digit."""

SIDES = {0.5: 14, 0.71: 20, 1.0: 28, 1.41: 40, 2.0: 56}
"""Sizes of a digit, and how many pixels it is wide then."""


@checked
def around(middles: Tensor, far: PositiveFloat, generator: torch.Generator, near: float = 0.0) -> Tensor:
    """A location near each of `middles` (N, 2): from `near` to `far` pixels away, in any direction, on the canvas."""
    angle = math.tau * torch.rand(len(middles), generator=generator)
    length = near + (far - near) * torch.rand(len(middles), 1, generator=generator)
    away = length * torch.stack([angle.sin(), angle.cos()], dim=1)  # pixels
    return (middles + 2 * away / search.WIDTH).clamp(-1, 1)


@lru_cache(maxsize=2)
def bank(count: int, sizes: str) -> tuple[Tensor, Tensor, Tensor]:
    """The training canvases, the same for every seed and sensor: images, labels and middles."""
    sides = (search.SIDE,) if sizes == "one" else tuple(SIDES.values())
    return search.resized("train", count, torch.Generator().manual_seed(10), sides)


def shifted(images: Tensor, middles: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Each canvas moved, with what leaves it on one side coming in on the other, so that its digit is anywhere.

    Windows stand at new locations every time; so that whole canvases are no less varied, these are moved.
    """
    corners = (30 * (middles + 1) - search.SIDE / 2).round().long()
    move = torch.randint(search.WIDTH - search.SIDE + 1, corners.shape, generator=generator) - corners  # (B, 2)
    rows, columns = ((torch.arange(search.WIDTH) - move[:, axis, None]) % search.WIDTH for axis in (0, 1))
    moved = images[torch.arange(len(images))[:, None, None], rows[:, :, None], columns[:, None]]
    return moved, middles + move / (search.WIDTH / 2)


def loss(net: GlimpseNet, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """Cross-entropy of the class, and 8 times the squared error of the step."""
    crops, labels, steps = batch
    logits, step = net(crops)
    return cross_entropy(logits, labels) + 8 * mse_loss(step, steps)


@recipe
class GlimpseRecipe:
    """Glimpses at random locations near digits, of one size or of all; Adam, its rate up and down once."""

    sensor: Sensor = "three scales"
    seed: Seed = 0
    sizes: Literal["one", "all"] = "one"
    hidden_size: Positive = 128
    steps: Positive = 400
    batch: Positive = 256
    count: Positive = 12_000
    rate: PositiveFloat | None = None

    def build(self) -> GlimpseNet:
        """The network before training."""
        torch.manual_seed(self.seed)
        inputs = SENSORS[self.sensor](torch.zeros(1, 60, 60), torch.zeros(1, 2)).shape[1]
        return GlimpseNet(inputs, self.hidden_size)

    def locations(self, middles: Tensor, generator: torch.Generator, far: float = FAR) -> Tensor:
        """Where the sensor glimpses: near the digit; the middle, where it takes in the canvas and is not told more."""
        return torch.zeros_like(middles) if self.sensor == "canvas" else around(middles, far, generator)

    def batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Endless batches: crops, labels, and the steps that would lead to the middles of the digits."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        images, labels, middles = bank(self.count, self.sizes)
        while True:
            for rows in torch.randperm(self.count, generator=generator).split(self.batch):
                x, middle = images[rows], middles[rows]
                if self.sensor.startswith("canvas"):
                    x, middle = shifted(x, middle, generator)
                locations = self.locations(middle, generator)
                yield SENSORS[self.sensor](x, locations), labels[rows], middle - locations

    def train(self) -> GlimpseNet:
        """Train from the start."""
        net, rate = self.build(), self.rate or RATE[self.sensor]
        optimiser = torch.optim.Adam(net.parameters(), lr=rate)
        fit(
            net,
            loss,
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            label=f"learning from glimpses ({self.sensor}, seed {self.seed})",
        )
        return net.requires_grad_(False)


@torch.no_grad()
def follow(net: GlimpseNet, sensor: str, images: Tensor, location: Tensor, glimpses: int) -> tuple[Tensor, Tensor]:
    """Look, take the step that the network gives, look again: T locations (B, T, 2), logits (B, T, C)."""
    locations, answers = [], []
    for _ in range(glimpses):
        logits, step = net(SENSORS[sensor](images, location))
        locations.append(location)
        answers.append(logits)
        location = (location + step).clamp(-1, 1)
    return torch.stack(locations, dim=1), torch.stack(answers, dim=1)


def tune() -> None:
    """Print the loss of every sensor with every rate on validation canvases, on the seed of TUNED_ON."""
    (seed,) = TUNED_ON
    images, labels, middles = search.resized("validation", 3_000, torch.Generator().manual_seed(1), (search.SIDE,))
    for sensor, see in SENSORS.items():
        found = {}
        for rate in RATES:
            one = GlimpseRecipe(sensor, seed, rate=rate)
            locations = one.locations(middles, torch.Generator().manual_seed(2))
            batch = see(images, locations), labels, middles - locations
            found[rate] = round(loss(one.train(), batch).item(), 3)
        print(sensor, found, flush=True)
