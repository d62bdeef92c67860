"""Finding the digit among clutter: a two-dimensional LSTM, and two LSTMs that read lines beside it."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch
from torch import Tensor, nn

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.gating.grid_lstm import PixelTagger
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import clutter
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/grid_lstm*",)
SEEDS = {"plane": (0, 1, 2), "rows": (0, 1, 2), "strips": (0, 1, 2)}

WIDTHS = {"plane": 16, "rows": 35, "strips": 64}
"""Hidden widths: `plane` and `rows` have 16,411 and 16,337 weights, `strips` 105,678."""

FILES = {"plane": "grid_lstm.safetensors", "rows": "grid_lstm_rows.safetensors"}
"""The taggers whose weights come with the package, each of seed 0."""


class RowTagger(nn.Module):
    """The rivals, on torch's own bidirectional LSTM. Both answer for the same blocks of 3 x 3 pixels as the plane.

    "rows" reads each row of blocks by itself, from both sides; "strips" reads whole rows as single vectors, from the
    top down and from the bottom up, so that it sees all of the canvas but has other weights in each column.
    """

    def __init__(self, kind: str, H: int, classes: int = 3, block: int = 3, width: int = 30):
        super().__init__()
        self.block, self.across = block, 1 if kind == "rows" else width // block
        self.lstm = nn.LSTM(self.across * block**2, H, batch_first=True, bidirectional=True)
        self.combine = nn.Linear(2 * H, H)
        self.readout = nn.Linear(H, self.across * classes * block**2)

    def forward(self, images: Tensor) -> Tensor:
        """Class scores (B, Y, X, C) of images (B, Y, X)."""
        size = self.block
        blocks = images.unfold(1, size, size).unfold(2, size, size)  # B rows columns size size
        rows, columns = blocks.shape[1:3]
        lines = blocks.flatten(0, 1).flatten(2) if self.across == 1 else blocks.flatten(2)
        scores = self.readout(torch.tanh(self.combine(self.lstm(lines)[0])))
        apart = scores.reshape(len(images), rows, columns, size, size, -1)
        return apart.transpose(2, 3).flatten(3, 4).flatten(1, 2)


@recipe
class GridRecipe:
    """One of three taggers, new canvases in each batch, Adam with one rise and fall of its rate.

    Steps, batch and rate were chosen on validation canvases, for the plane.
    """

    kind: Literal["plane", "rows", "strips"] = "plane"
    seed: Seed = 0
    pieces: Positive = 3
    steps: Positive = 3_000
    batch: Positive = 32
    learning_rate: PositiveFloat = 2e-2

    def build(self) -> nn.Module:
        """The tagger before it has seen a canvas."""
        H = WIDTHS[self.kind]
        if self.kind == "plane":
            return PixelTagger(H, 3, block=3, generator=torch.Generator().manual_seed(self.seed))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return RowTagger(self.kind, H)

    def batches(self) -> Iterator[clutter.Canvases]:
        """Endless new canvases, from the digits of the training part."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield clutter.canvases("train", self.batch, generator, self.pieces)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[nn.Module, History]:
        """Train from the start, about 75 processor seconds for the plane."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.learning_rate, total_steps=self.steps)
        history = fit(
            model,
            lambda model, batch: clutter.cost(model(batch.images), batch.labels),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to find the digit ({self.kind})",
        )
        return model.requires_grad_(False), history

    def load(self) -> nn.Module:
        """The trained plane or rows of seed 0, from the weights that came with the package."""
        expect(self.kind in FILES, "kind", self.kind, f"{' or '.join(FILES)}, whose weights come with the package")
        return load(WEIGHTS / FILES[self.kind], self.build()).requires_grad_(False)


def unseen(count: int = 500, pieces: int = 3, width: int = 30) -> clutter.Canvases:
    """Canvases from digits that no training has seen, the same every time."""
    return clutter.canvases("test", count, torch.Generator().manual_seed(7), pieces, width)


def guess(model: nn.Module, images: Tensor) -> Tensor:
    """The most likely class of each pixel, 100 images at a time."""
    with torch.no_grad():
        return torch.cat([model(part).argmax(-1) for part in images.split(100)])


def load_results() -> dict[str, Any]:
    """What `export` measured: for each kind of tagger a list over seeds, see `measure`."""
    return read_record(WEIGHTS / "grid_lstm.json")


def measure(model: nn.Module, larger: bool) -> dict[str, float]:
    """F1 of the digit's pixels: on test canvases, with twice the clutter, and on 60 x 60 with the same density."""
    found = {}
    places = {"test": (500, 3, 30), "crowded": (500, 6, 30)} | ({"large": (150, 14, 60)} if larger else {})
    for name, (count, pieces, width) in places.items():
        of = unseen(count, pieces, width)
        found[name] = round(clutter.f1(guess(model, of.images), of.labels), 4)
    return found


def run(kind: str, seed: int) -> tuple[nn.Module, dict[str, float]]:
    """Train one tagger: the model, and what it cost, how many weights it has, and what `measure` says."""
    began = time.process_time()
    model, _ = GridRecipe(kind, seed).train()
    seconds = round(time.process_time() - began)
    weights = sum(p.numel() for p in model.parameters())
    return model, {"seconds": seconds, "weights": weights} | measure(model, larger=kind != "strips")


def export() -> None:
    """Train the taggers on one thread, and write what the unseen canvases say, and the first plane and rows."""
    torch.set_num_threads(1)
    of = unseen()
    results: dict[str, Any] = {"all ink": round(clutter.f1(torch.where(of.labels < 2, 0, 2), of.labels), 4)}
    for kind, seeds in SEEDS.items():
        for seed in seeds:
            model, found = run(kind, seed)
            results.setdefault(kind, []).append(found)
            if kind in FILES and seed == 0:
                save(WEIGHTS / FILES[kind], model, dtype=torch.float16)
            write_record(WEIGHTS / "grid_lstm.json", results, indent=1)
