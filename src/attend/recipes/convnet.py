"""Handwritten digits read by a convolutional net, by the same wiring unshared, and by a fully connected network."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.memory.convnet import ConvNet, LocallyConnected
from attend.recipes import WEIGHTS
from attend.tasks import digits
from attend.train.checkpoint import load, save
from attend.train.fit import fit

DATA = ("recipes/weights/convnet_*.safetensors",)
Kind = Literal["max", "average", "stride", "local", "dense", "sliding", "fixed", "fixed_local"]
KINDS: tuple[str, ...] = get_args(Kind)
"""Three ways to halve the maps; the first of them without shared weights; a hidden layer of 76 units, with ten times

the weights. On wide canvases: the net whose last layer slides, too, one whose last layer is as wide as the last map,
and the latter without shared weights."""

SIZES = (75, 750, 7_500)
WIDE = 40
SHOWN = ("max", "sliding")
"""The kinds that the page shows trained: in the live figure, and with the weights of its regions."""
RATES = (2e-3, 5e-3, 1.2e-2, 3e-2)
"""Adam's learning rates that were tried for every line of RATE, on the validation digits, with seed 100 alone."""
TUNED_ON = (100,)
RATE: dict[str, PositiveFloat] = {
    "max, 75": 5e-3,
    "max, 750": 3e-2,
    "max, 7500": 1.2e-2,
    "max, shuffled": 1.2e-2,
    "average, 7500": 3e-2,
    "stride, 7500": 1.2e-2,
    "local, 75": 1.2e-2,
    "local, 750": 5e-3,
    "local, 7500": 1.2e-2,
    "dense, 75": 1.2e-2,
    "dense, 750": 5e-3,
    "dense, 7500": 1.2e-2,
    "dense, shuffled": 1.2e-2,
    "sliding, 7500": 3e-2,
    "fixed, 7500": 1.2e-2,
    "fixed_local, 7500": 5e-3,
}
"""The best of them, by kind and number of training images, and for shuffled pixels."""


@recipe
class ConvNetRecipe:
    """One of KINDS, trained for `steps` batches of 32 on the first `count` training digits.

    "sliding", "fixed" and "fixed_local" see each digit at a random place of a canvas of WIDE pixels, a new one each
    time. `shuffled` puts the pixels of all images into another order, drawn by the seed.
    """

    kind: Kind = "max"
    seed: Seed = 0
    count: Positive = 7_500
    steps: Positive = 600
    shuffled: bool = False
    rate: PositiveFloat | None = None

    @property
    def setting(self) -> str:
        """The line of RATE."""
        return f"{self.kind}, {'shuffled' if self.shuffled else self.count}"

    def build(self) -> nn.Module:
        """The network with its first weights, drawn by the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            if self.kind == "dense":
                return nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 76), nn.ReLU(), nn.Linear(76, 10))
            width = WIDE if self.kind.startswith("fixed") else 28
            net = ConvNet(pool=self.kind if self.kind in ("average", "stride") else "max", image_size=width)
            if self.kind.endswith("local"):
                net.conv1 = LocallyConnected(1, 8, 5, width)
                net.conv2 = LocallyConnected(8, 16, 5, (width - 4) // 2)
            return net

    def seen(self, images: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Images as the network gets them: as they are, shuffled, or on a canvas of WIDE pixels."""
        if self.kind in ("sliding", "fixed", "fixed_local"):
            return digits.place(images, WIDE, generator)[0]
        if not self.shuffled:
            return images
        order = torch.randperm(28 * 28, generator=torch.Generator().manual_seed(3_000 + self.seed))
        return images.flatten(1)[:, order].view_as(images)

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless batches of 32, seeded by the recipe."""
        images, labels = (part[: self.count] for part in digits.digits("train"))
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            for rows in torch.randperm(len(labels), generator=generator).split(32):
                yield self.seen(images[rows], generator), labels[rows]

    def train(self) -> nn.Module:
        """Train from the start."""
        model, rate = self.build(), self.rate or RATE[self.setting]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            label=f"digits, {self.setting}, seed {self.seed}",
        )
        return model.requires_grad_(False)

    def accuracy(self, model: nn.Module, split: str = "test") -> float:
        """The share of a split's digits that are read right, as the network gets them."""
        images, labels = digits.digits(split)
        return accuracy(model, self.seen(images, torch.Generator().manual_seed(2_000 + self.seed)), labels)

    def load(self) -> ConvNet:
        """A net that the page shows, from the weights of the package. Raises ValueError for a recipe that has none."""
        published = self.kind in SHOWN and self == ConvNetRecipe(self.kind)
        expect(published, "self", self, f"ConvNetRecipe(kind) with a kind of {', '.join(SHOWN)}, all else as it is")
        return load(WEIGHTS / f"convnet_{self.kind}.safetensors", self.build()).requires_grad_(False)


@torch.no_grad()
def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """The share of images (N, Y, X) that the network reads as their labels (N), 250 at a time."""
    return digits.accuracy(torch.cat([model(part) for part in images.split(250)]), labels)


def by_shift(model: nn.Module, of: digits.Digits, furthest: int = 5) -> list[float]:
    """The accuracy on images moved by 0, 1, … `furthest` pixels, over the eight directions."""
    found = []
    for pixels in range(furthest + 1):
        moved = digits.shifts(of.images, pixels)
        found.append(accuracy(model, moved.flatten(0, 1), of.labels.repeat(len(moved))))
    return found


def probe(learn: Tensor, labels: Tensor, ask: Tensor, wanted: Tensor) -> float:
    """How well a linear probe names the class: it learns from one set of features, and is marked on another.

    `learn` (N, F) and `ask` (M, F) are features, `labels` (N) and `wanted` (M) their classes. The probe is a softmax
    regression with a small decay of its weights, on features of mean 0 and variance 1; it is trained to the end
    (L-BFGS), so nothing in it is random. Returns the share of `wanted` that it names.
    """
    mean, deviation = learn.mean(dim=0), learn.std(dim=0) + 1e-6
    learn, ask = (learn - mean) / deviation, (ask - mean) / deviation
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


def tune() -> None:
    """Print the accuracy on the validation digits with every rate of RATES, from the seeds of TUNED_ON."""
    asked = [ConvNetRecipe(kind, count=count) for kind in ("max", "local", "dense") for count in SIZES]
    asked += [ConvNetRecipe(kind) for kind in ("average", "stride")]
    asked += [ConvNetRecipe(kind, shuffled=True) for kind in ("max", "dense")]
    asked += [ConvNetRecipe(kind) for kind in ("sliding", "fixed", "fixed_local")]
    for one in asked:
        for rate in RATES:
            tried = [replace(one, seed=seed, rate=rate) for seed in TUNED_ON]
            found = [each.accuracy(each.train(), "validation") for each in tried]
            print(f"{one.setting:16} {rate:g}: {sum(found) / len(found):.3f}", flush=True)


def export() -> None:
    """Train the nets that the page shows, twice as long as those that it judges, and write their weights."""
    for kind in SHOWN:
        model = ConvNetRecipe(kind, steps=1_200).train()
        save(WEIGHTS / f"convnet_{kind}.safetensors", model, dtype=torch.float16)
