"""Counters that are taught: GRU, LSTM and plain unit, three seeds each, at equal processor time."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Positive, Seed
from attend.fast import fast
from attend.gating.counter import LearnedCounter
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import crossings, days, temperature
from attend.train.checkpoint import load, save
from attend.train.fit import History, TrainStep, fit

DATA = ("recipes/weights/counter*",)
SEEDS = (0, 1, 2)
H, V = 32, 20
BATCH, EPOCH = 64, 100
"""Series a step, and steps an epoch: an epoch reads 6,400 new series."""

SAVED = (0, 1, 3, 8, 20, 42)
"""The epochs whose weights come with the package, for the GRU with seed 0; at epoch 0 nothing is learned yet."""

DAYS_SHARE = 4
"""Real days are learned for a quarter of the epochs that made series were, at a quarter of the rate."""

UNITS: dict[str, tuple[Callable[[torch.Generator], nn.Module], int, float]] = {
    "gru": (lambda generator: GRU(1, H, generator=generator), 42, 3e-2),
    "lstm": (lambda generator: LSTM(1, H, forget_bias=1.0, generator=generator), 40, 3e-2),
    "rnn": (lambda generator: RNN(1, H, generator=generator), 70, 6e-3),
}
"""By name: the untrained unit, the epochs that take about a minute on one thread, and the highest learning rate."""


@recipe
class CounterRecipe:
    """One counter, taught with a label at each of 60 steps; `epochs` None takes all that the unit's minute allows.

    With `on` "made" it starts from nothing and reads made series; with "days" it goes on from there and reads days.
    Learning rates from .003 to .03 were tried for the GRU and the LSTM, from .001 to .01 for the plain unit, with seed
    0 and on series that are used for nothing else; each unit keeps the one that served it best.
    """

    unit: Literal["gru", "lstm", "rnn"] = "gru"
    seed: Seed = 0
    fast: bool = True
    epochs: Positive | None = None
    on: Literal["made", "days"] = "made"

    @property
    def share(self) -> int:
        """By how much the epochs and the rate of this kind of series are divided."""
        return DAYS_SHARE if self.on == "days" else 1

    @property
    def travels(self) -> bool:
        """Do its weights come with the package? The GRUs of made series, and of the others what the page shows."""
        return (self.on == "made" and (self.unit == "gru" or self.seed == 0)) or self == CounterRecipe(on="days")

    @property
    def steps(self) -> int:
        """How many steps of Adam the training takes."""
        return EPOCH * (self.epochs or UNITS[self.unit][1] // self.share)

    def untrained(self) -> LearnedCounter:
        """The counter with its first random weights."""
        generator = torch.Generator().manual_seed(self.seed)
        model = LearnedCounter(UNITS[self.unit][0](generator), V, generator)
        return fast(model) if self.fast else model

    def build(self) -> LearnedCounter:
        """The counter before this training."""
        return self.untrained() if self.on == "made" else replace(self, on="made", epochs=None).load()

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """New series at every step, (B, T, 1), with the count after each of their steps, (B, T)."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        sample = crossings.sample if self.on == "made" else days.sample
        while True:
            yield sample(BATCH, generator=generator)

    def train(self, callbacks=()) -> tuple[LearnedCounter, History]:
        """Train from `build`; Adam's rate falls to zero along a cosine."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=UNITS[self.unit][2] / self.share)
        history = fit(
            model,
            lambda model, batch: crossings.cost(model(batch[0])[0], batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.unit}, seed {self.seed}",
        )
        return model, history

    def path(self, epoch: int | None = None) -> Path:
        """Where the weights lie."""
        kind = "counter" if self.on == "made" else "counter_days"
        return WEIGHTS / f"{kind}_{self.unit}_{self.seed}{'' if epoch is None else f'_{epoch}'}.safetensors"

    def load(self, epoch: int | None = None) -> LearnedCounter:
        """The trained counter (float16), for the GRU of seed 0 also as it was after one of the epochs in `SAVED`."""
        model = self.untrained()
        if epoch == 0:
            return model.eval()
        return load(self.path(None if epoch == SAVED[-1] else epoch), model).eval()


class Progress:
    """A callback that measures `exact` on `series` after every epoch, off the clock, and may keep the weights."""

    def __init__(self, series: tuple[Tensor, Tensor], keep: dict[int, Path]):
        self.series, self.keep = series, keep
        self.exact: list[float] = []
        self.paused = 0.0

    def look(self, epoch: int, model: LearnedCounter) -> None:
        """Measure, and keep the weights if this is one of the epochs to keep."""
        began = time.process_time()
        x, counts = self.series
        self.exact.append(crossings.exact(model.count(x), counts))
        if epoch in self.keep:
            save(self.keep[epoch], model, dtype=torch.float16)
        self.paused += time.process_time() - began

    def __call__(self, state: TrainStep) -> None:
        """After a step."""
        if state.step % EPOCH == 0:
            self.look(state.step // EPOCH, state.model)


def progress_series(on: str) -> tuple[Tensor, Tensor]:
    """1,000 series to follow the training with, which are used for nothing else."""
    generator = torch.Generator().manual_seed(77)
    return crossings.sample(1_000, generator=generator) if on == "made" else days.sample(1_000, generator=generator)


def held_out() -> dict[str, tuple[Tensor, Tensor]]:
    """Series (B, 60, 1) and counts (B, 60) that judge the trained counters; no choice has looked at them.

    "made" are 2,000 new series, "hours" windows of the average year in Seattle, a new one every six hours, with the
    band from 10 to 15 °C as [0, 1], and "days" all windows of the measured days of 2015 with the same band.
    """
    hours = temperature.to_unit(temperature.average_year().celsius).float().unfold(0, 60, 6)
    return {
        "made": crossings.sample(2_000, generator=torch.Generator().manual_seed(2026)),
        "hours": (hours[:, :, None], crossings.entrances(hours)),
        "days": days.held_out(),
    }


def measured() -> dict[str, Any]:
    """What `export` recorded, by kind of lessons and unit, a value for each seed.

    `seconds` of processor time, `steps`, `exact` on other series by epoch, and `test`, the share of right last counts
    by kind of `held_out` series.
    """
    return read_record(WEIGHTS / "counter.json")


def _record(recipe: CounterRecipe) -> dict[str, Any]:
    shown = recipe == CounterRecipe()
    progress = Progress(progress_series(recipe.on), {n: recipe.path(n) for n in SAVED[1:-1]} if shown else {})
    progress.look(0, recipe.build())
    off, began = progress.paused, time.process_time()
    model, _ = recipe.train([progress])
    seconds = time.process_time() - began - (progress.paused - off)
    save(recipe.path(), model, dtype=torch.float16)
    print(f"{recipe.on}, {recipe.unit}, {recipe.seed}: exact {progress.exact[-1]:.3f}, {seconds:.0f} s", flush=True)
    test = {kind: crossings.exact(recipe.load().count(x), counts) for kind, (x, counts) in held_out().items()}
    exact = [round(share, 3) for share in progress.exact]
    return {"seconds": round(seconds), "steps": recipe.steps, "exact": exact, "test": test}


def export() -> None:
    """Train all units with all seeds, on made series and then on days, and write the weights; about 15 minutes."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {"torch": torch.__version__}
    for on in ("made", "days"):
        runs = {unit: [_record(CounterRecipe(unit, seed, on=on)) for seed in SEEDS] for unit in UNITS}
        found[on] = {unit: {key: [run[key] for run in of_unit] for key in of_unit[0]} for unit, of_unit in runs.items()}
    for on, unit, seed in itertools.product(("made", "days"), UNITS, SEEDS):
        recipe = CounterRecipe(unit, seed, on=on)
        if not recipe.travels:
            recipe.path().unlink()
    write_record(WEIGHTS / "counter.json", found)
