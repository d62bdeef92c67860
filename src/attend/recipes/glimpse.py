"""Readers of a single glimpse: what does it show, and which way should one look next?

Three ways to look hand on about as many numbers: one sharp crop, one crop of half the sharpness that is twice as wide,
or three crops at three scales. The fourth hands on the whole image.
"""

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from attend.core.expect import expect, recipe
from attend.core.init import linear_
from attend.core.types import Positive, PositiveFloat, Seed
from attend.hard.glimpse import glimpse
from attend.tasks import search
from attend.tasks.crowd import Crowd
from attend.train.fit import History, fit

WHOLE = "the whole image"
WAYS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "one sharp crop": lambda images, places: glimpse(images, places, size=22, scales=1),
    "one coarse crop": lambda images, places: glimpse(images, places, size=22, scales=2)[:, 1:],
    "three scales": lambda images, places: glimpse(images, places, size=12, scales=3),
    WHOLE: lambda images, places: images[:, None],
}
"""From images (B, Y, X) and places (B, 2): 22 x 22 pixels, 44 x 44 as 22 x 22 means, 12, 24 and 48 wide, or everything.

The first two hand on 484 numbers, the third 432, and the last all the pixels, wherever the place is.
"""

FAR = 28
"""Places to learn from lie up to so many pixels from the middle of the digit."""

UNIT = 0.5
"""Steps are learned in this unit, of which two reach from the middle of a canvas to its edge: 15 pixels of 60."""


class Answer(NamedTuple):
    """`scores` (B, 10) of the names, and the `step` (B, 2) from the place of the glimpse to the middle of the digit."""

    scores: Tensor
    step: Tensor


class Reader(nn.Module):
    """A layer of `H` units over all that a glimpse handed on, and two linear answers."""

    def __init__(self, numbers: int, H: int, generator: torch.Generator):
        super().__init__()
        self.take = linear_(nn.Linear(numbers, H), generator)
        self.name = linear_(nn.Linear(H, 10), generator)
        self.move = linear_(nn.Linear(H, 2), generator)

    def forward(self, crops: Tensor) -> Answer:
        """Answers to crops (B, K, P, P)."""
        found = self.take(crops.flatten(1)).relu()
        return Answer(self.name(found), UNIT * self.move(found))


def places_for(way: str, corners: Tensor, generator: torch.Generator) -> Tensor:
    """Where each way looks: near the digit, up to FAR pixels off; for the whole image the middle of the canvas."""
    return torch.zeros(len(corners), 2) if way == WHOLE else around(corners, FAR, generator)


def around(corners: Tensor, far: float, generator: torch.Generator, width: int = search.WIDTH) -> Tensor:
    """A place (N, 2) near each digit: from 0 to `far` pixels from its middle, in any direction, but on the canvas."""
    expect(0 < far < math.inf, "far", far, "a positive number of pixels")
    turn = math.tau * torch.rand(len(corners), generator=generator)
    away = far * torch.rand(len(corners), 1, generator=generator) * torch.stack([turn.sin(), turn.cos()], dim=1)
    return (search.middles(corners, width) + 2 * away / width).clamp(-1, 1)


@recipe
class GlimpseRecipe:
    """A reader of glimpses of one of the WAYS, taken at random places near digits; Adam, its rate rises and falls once.

    All numbers were chosen on validation canvases, for the sharp crop and for the three scales alike. For the whole
    image, too, this rate was the best of 2e-3, 4e-3 and 8e-3.
    """

    way: Literal["one sharp crop", "one coarse crop", "three scales", "the whole image"] = "three scales"
    seed: Seed = 0
    H: Positive = 128
    steps: Positive = 400
    batch: Positive = 256
    rate: PositiveFloat = 8e-3

    def build(self) -> Reader:
        """The reader before it has seen anything."""
        numbers = WAYS[self.way](torch.zeros(1, 60, 60), torch.zeros(1, 2)).numel()
        return Reader(numbers, self.H, torch.Generator().manual_seed(self.seed))

    def batches(self, canvases: Crowd) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Endless batches: crops, names, and the step that would lead to the middle of the digit."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            for rows in torch.randperm(len(canvases.images), generator=generator).split(self.batch):
                images, names, corners = (part[rows] for part in canvases)
                places = places_for(self.way, corners, generator)
                yield WAYS[self.way](images, places), names, search.middles(corners) - places

    def train(self, canvases: Crowd) -> tuple[Reader, History]:
        """Train on glimpses of these canvases, about 3 seconds on one core; 6 for the whole image."""
        reader = self.build()
        optimiser = torch.optim.Adam(reader.parameters(), lr=self.rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.rate, total_steps=self.steps)
        history = fit(
            reader,
            cost,
            self.batches(canvases),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            label=f"learning from {self.way}",
        )
        return reader.requires_grad_(False), history


def cost(reader: Reader, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """The surprise at the name, and the squared error of the step in units of 15 pixels."""
    crops, names, step = batch
    answer = reader(crops)
    return cross_entropy(answer.scores, names) + 2 * mse_loss(answer.step / UNIT, step / UNIT)


class Found(NamedTuple):
    """For N glimpses: how `far` (N) from the digit, whether it was `named` (N), and how far the next place is, `then`.

    Distances are in pixels.
    """

    far: Tensor
    named: Tensor
    then: Tensor


@torch.no_grad()
def look(reader: Reader, way: str, canvases: Crowd, places: Tensor) -> Found:
    """One glimpse at each canvas, and one step in the direction that the reader gives."""
    scores, step = reader(WAYS[way](canvases.images, places))
    now, then = (search.distance(at[:, None], canvases.corners)[:, 0] for at in (places, places + step))
    return Found(now, scores.argmax(dim=1) == canvases.labels, then)
