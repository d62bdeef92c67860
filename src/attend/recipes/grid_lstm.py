"""Finding the digit among clutter: a two-dimensional LSTM, and three baselines with as many weights."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor, nn

from attend.core.expect import expect, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.bidirectional import Bidirectional
from attend.gating.grid_lstm import GridLSTM, PixelTagger
from attend.gating.lstm import LSTM
from attend.recipes import WEIGHTS
from attend.tasks import clutter
from attend.train.checkpoint import load, save
from attend.train.fit import fit

DATA = ("recipes/weights/grid_lstm.safetensors",)
BLOCK = 3
"""All of them read and answer blocks of 3 x 3 pixels."""
RATES = {"plane": 4e-2, "rows": 4e-2, "rows_columns": 4e-2, "conv": 2e-2}
"""The top of Adam's rate by encoder, the best of GRID for each on the seed of TUNED_ON (`tune`)."""
GRID = (5e-3, 1e-2, 2e-2, 4e-2)
TUNED_ON = (100,)
SHORT = {"steps": 300, "batch": 16}
"""The budget of the comparison."""


class Rows(nn.Module):
    """A bidirectional LSTM along every row; with `columns`, a second one along every column of its hidden states."""

    def __init__(self, hidden_size: int, columns: bool):
        super().__init__()
        D, H = BLOCK**2, hidden_size
        self.along = Bidirectional(LSTM(D, H), LSTM(D, H))
        self.down = Bidirectional(LSTM(2 * H, H), LSTM(2 * H, H)) if columns else None

    def forward(self, x: Tensor) -> Tensor:
        """The hidden states (B, Y, X, 2H) of blocks (B, Y, X, D)."""
        x = self.along(x.flatten(0, 1))[0].unflatten(0, x.shape[:2])
        if self.down is None:
            return x
        x = x.transpose(1, 2)
        return self.down(x.flatten(0, 1))[0].unflatten(0, x.shape[:2]).transpose(1, 2)


class Conv(nn.Module):
    """Four convolutions of 3 x 3 blocks; the last one sees 9 x 9 blocks, of 10 x 10."""

    def __init__(self, channels: int):
        super().__init__()
        widths = [BLOCK**2, *[channels] * 4]
        layers = [nn.Conv2d(*pair, 3, padding=1) for pair in pairwise(widths)]
        self.layers = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())))

    def forward(self, x: Tensor) -> Tensor:
        """The features (B, Y, X, channels) of blocks (B, Y, X, D)."""
        return self.layers(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


@recipe
class GridRecipe:
    """A tagger of pixels with some 16,500 weights; new canvases in each batch, Adam with one rise and fall of its rate.

    `kind`: a 2-D LSTM from all four corners; a bidirectional LSTM along every row, and that one followed by another
    along every column; four convolutions.
    """

    kind: Literal["plane", "rows", "rows_columns", "conv"] = "plane"
    seed: NonNegative = 0
    steps: Positive = 3_000
    batch: Positive = 32
    rate: PositiveFloat | None = None

    def build(self) -> PixelTagger:
        """The tagger before it has seen a canvas."""
        torch.manual_seed(self.seed)
        encoder, features = {
            "plane": lambda: (GridLSTM(BLOCK**2, 16), 4 * 16),
            "rows": lambda: (Rows(36, columns=False), 2 * 36),
            "rows_columns": lambda: (Rows(20, columns=True), 2 * 20),
            "conv": lambda: (Conv(22), 22),
        }[self.kind]()
        return PixelTagger(encoder, features, len(clutter.CLASSES), block=BLOCK)

    def batches(self) -> Iterator[clutter.Canvases]:
        """Endless new canvases, from the digits of the training part."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield clutter.canvases("train", self.batch, generator, pieces=3)

    def train(self, callbacks=()) -> PixelTagger:
        """Train from the start, about 75 processor seconds for the plane."""
        model, rate = fast(self.build()), self.rate or RATES[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            lambda model, batch: clutter.cost(model(batch.images), batch.labels),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to find the digit ({self.kind})",
        )
        return model.requires_grad_(False)

    def load(self) -> PixelTagger:
        """The trained plane of seed 0, from the weights that came with the package."""
        expect(self.kind == "plane", "kind", self.kind, "'plane', whose weights come with the package")
        return load(WEIGHTS / "grid_lstm.safetensors", self.build()).requires_grad_(False)


def unseen(count: int = 500, part: str = "test") -> clutter.Canvases:
    """Canvases from digits that no training has seen, the same every time."""
    return clutter.canvases(part, count, torch.Generator().manual_seed(7), pieces=3)


def guess(model: nn.Module, images: Tensor) -> Tensor:
    """The most likely class of each pixel, 100 images at a time."""
    with torch.no_grad():
        return torch.cat([model(part).argmax(-1) for part in images.split(100)])


def f1(model: nn.Module, part: str = "test") -> float:
    """The F1 score of the digit's pixels on 500 canvases of one part."""
    of = unseen(part=part)
    return clutter.f1(guess(model, of.images), of.labels)


def export() -> None:
    """Train the plane at length, and write its weights."""
    torch.set_num_threads(1)
    save(WEIGHTS / "grid_lstm.safetensors", GridRecipe(rate=2e-2).train(), dtype=torch.float16)


def tune() -> None:
    """Print what every encoder reaches on validation digits with every rate of GRID."""
    for kind in RATES:
        for rate in GRID:
            recipe = GridRecipe(kind, TUNED_ON[0], rate=rate, **SHORT)
            print(kind, rate, f"{f1(recipe.train(), 'validation'):.4f}", flush=True)
