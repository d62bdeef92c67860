"""Reading handwritten digits: a small convolutional net, and networks without convolution beside it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.memory.convnet import ConvNet
from attend.recipes import WEIGHTS
from attend.tasks import digits
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/convnet_*",)


@recipe
class DigitsRecipe(ABC):
    """What both kinds of network share: the digits, the batches, Adam with one rise and fall of its rate.

    Epochs, batch and rate were chosen on the validation digits. `canvas` is the width of the images in pixels; on a
    canvas wider than 28 each digit stands at a random place, new in each round.
    """

    seed: Seed = 0
    canvas: Positive = 28
    epochs: Positive = 10
    batch: Positive = 32
    learning_rate: PositiveFloat = 6e-3

    @property
    def steps(self) -> int:
        """The number of steps: each training digit once an epoch, but for a last part of a batch."""
        first, last = digits.SPLITS["train"]
        return self.epochs * ((last - first) // self.batch)

    @abstractmethod
    def build(self) -> nn.Module:
        """The network before it has seen a digit."""

    def batches(self) -> Iterator[digits.Digits]:
        """Endless batches of training digits, each on its canvas."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        for images, labels in digits.batches(digits.digits("train"), self.batch, generator):
            yield digits.Digits(digits.place(images, self.canvas, generator)[0], labels)

    def train(self) -> tuple[nn.Module, History]:
        """Train from the start; a convolutional net on plain digits takes about 15 seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.learning_rate, total_steps=self.steps)
        history = fit(
            model,
            lambda model, batch: digits.cost(scores(model, batch.images), batch.labels),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            label="learning to read digits",
        )
        return model.requires_grad_(False), history


@recipe
class ConvNetRecipe(DigitsRecipe):
    """The convolutional net: 8 and 16 maps, kernels of 5 x 5, and one of the three ways to pool."""

    pool: Literal["max", "average", "subsample"] = "max"

    def build(self) -> ConvNet:
        """The net with its first weights, drawn by the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return ConvNet(pool=self.pool)

    def load(self) -> ConvNet:
        """The trained net, from the weights that came with the package."""
        return load(WEIGHTS / f"{self.name}.safetensors", self.build()).requires_grad_(False)

    @property
    def name(self) -> str:
        """The name of its weights: how it pools, and on which canvas it learned."""
        where = "" if self.canvas == 28 else f"_{self.canvas}"
        return f"convnet_{self.pool}{where}_{self.seed}"


@recipe
class PerceptronRecipe(DigitsRecipe):
    """The rival: every pixel joined to every one of `hidden` units, torch's own layers, weights for each place.

    Batches and rates were chosen on the validation digits: 128 and 0.005 for 8 hidden units, 32 and 0.01 for 76.
    """

    hidden: Positive = 8
    batch: Positive = 128
    learning_rate: PositiveFloat = 5e-3

    def build(self) -> nn.Sequential:
        """The network with torch's first weights, drawn by the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            layers = nn.Linear(self.canvas**2, self.hidden), nn.ReLU(), nn.Linear(self.hidden, 10)
            return nn.Sequential(nn.Flatten(), *layers)


def scores(model: nn.Module, images: Tensor) -> Tensor:
    """Class scores (B, 10) of images (B, Y, X), whichever kind of network it is; 250 images at a time."""
    parts = [model(part) for part in images.split(250)]
    return torch.cat([part[0] if isinstance(part, tuple) else part for part in parts])


def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """The share of images (B, Y, X) that the network reads as their labels (B)."""
    with torch.no_grad():
        return digits.accuracy(scores(model, images), labels)


def by_shift(model: nn.Module, of: digits.Digits, furthest: int = 6) -> list[float]:
    """The accuracy on images that were moved by 0, 1, … `furthest` pixels, over the eight directions."""
    found = []
    for pixels in range(furthest + 1):
        moved = digits.shifts(of.images, pixels)
        found.append(accuracy(model, moved.flatten(0, 1), of.labels.repeat(len(moved))))
    return found


def probe(learn: Tensor, labels: Tensor, ask: Tensor, wanted: Tensor) -> float:
    """How well a linear probe names the class: it learns from one set of features, and is marked on another.

    `learn` (N, F) and `ask` (M, F) are features, `labels` (N) and `wanted` (M) their classes. The probe is a softmax
    regression with a small decay of its weights, on features brought to mean 0 and spread 1; it is trained to the
    end (L-BFGS), so nothing in it is random. Returns the share of `wanted` that it names.
    """
    mean, spread = learn.mean(dim=0), learn.std(dim=0) + 1e-6
    learn, ask = (learn - mean) / spread, (ask - mean) / spread
    weights, bias = torch.zeros(learn.shape[1], 10), torch.zeros(10)
    parameters = [weights.requires_grad_(), bias.requires_grad_()]
    optimiser = torch.optim.LBFGS(parameters, max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = cross_entropy(learn @ weights + bias, labels) + 1e-3 * weights.square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    with torch.no_grad():
        return digits.accuracy(ask @ weights + bias, wanted)


PUBLISHED = [ConvNetRecipe(), ConvNetRecipe(pool="subsample"), ConvNetRecipe(canvas=40, epochs=8)]
SEEDS = range(3)


def export() -> None:
    """Train every recipe whose weights come with the package, over three seeds, and write the weights."""
    for published in PUBLISHED:
        for seed in SEEDS:
            seeded = replace(published, seed=seed)
            save(WEIGHTS / f"{seeded.name}.safetensors", seeded.train()[0], dtype=torch.float16)
