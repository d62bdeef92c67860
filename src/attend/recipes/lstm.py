"""Cells with three gates on the two tasks of memory, latch and adding, each over three seeds, beside two rivals."""

import time
from dataclasses import dataclass
from typing import Any

import torch

from attend.core.expect import checked, expect
from attend.fast import fast
from attend.gating.lstm import LSTM, chrono_
from attend.recipes import WEIGHTS, gru, read_record, write_record
from attend.recipes.gru import LAGS, SEEDS, Answering, Looks
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/lstm*",)
STARTS = ("zero", "one", "spread")
"""What the forget biases are at the start: 0, 1, or spread over time scales (and the input biases their negatives)."""

STEPS = {"plain": 900, "gated": 400, "zero": 400, "spread": 400}
"""How long each unit trains on the adding task; a step of the plain unit costs less than half of a gated one's."""


@checked
def build_lstm(start: str, D: int, H: int, longest: float, seed: int) -> LSTM:
    """An LSTM at one of the `STARTS`. Raises ValueError for another one."""
    expect(start in STARTS, "unit", start, f"one of {', '.join(STARTS)}")
    cell = LSTM(D, H, forget_bias=float(start == "one"), generator=torch.Generator().manual_seed(seed))
    return chrono_(cell, longest) if start == "spread" else cell


@dataclass(frozen=True)
class LatchRecipe(gru.LatchRecipe):
    """One of four symbols, recalled over `lag` steps by an LSTM of 16 cells from one of `STARTS`.

    Of longest time scales of 400, 800 and 2,000, Adam's rates of .003, .005 and .01, and gradients clipped at 1 and .1,
    only 800, .01 and .1 solved every lag with every seed that was tried.
    """

    steps: int = 400
    longest: float = 800.0

    @property
    def pace(self) -> tuple[float, float]:
        """Adam's rate, and the length to which gradients are clipped."""
        return 1e-2, 0.1

    def build(self) -> Answering:
        """The model before training."""
        model = Answering(build_lstm(self.unit, 4, self.H, self.longest, self.seed), 4)
        return fast(model) if self.fast else model

    def load(self) -> Answering:
        """The trained model of lag 100, from the weights that came with the package."""
        return load(WEIGHTS / f"lstm_latch_{self.unit}_{self.seed}.safetensors", self.build()).eval()


@dataclass(frozen=True)
class AddingRecipe(gru.AddingRecipe):
    """The sum of two marked numbers among 100, by an LSTM of 27 cells (3,268 weights) from one of `STARTS`.

    "plain" and "gated" are the rivals of recipe `gru`, with 3,361 and 3,393 weights.
    """

    @property
    def H(self) -> int:  # noqa: N802
        """The width; no LSTM here has more weights than its rivals."""
        return {"plain": 56, "gated": 32}.get(self.unit, 27)

    def build(self) -> Answering:
        """The model before training; it answers 1, the mean of all sums."""
        if self.unit in ("plain", "gated"):
            name = "spread" if self.unit == "gated" else self.unit
            unit = gru.build_unit(name, 2, self.H, self.longest, self.seed)
        else:
            unit = build_lstm(self.unit, 2, self.H, self.longest, self.seed)
        model = Answering(unit, 1, offset=1.0)
        return fast(model) if self.fast else model

    def load(self) -> Answering:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / f"lstm_adding_{self.unit}_{self.seed}.safetensors", self.build()).eval()


def measured() -> dict[str, Any]:
    """What `export` measured.

    `latch`: by start and lag `right` and `seconds`, a value for each seed. `adding`: by unit `explained` (R²) for each
    seed, and, at each look, `seconds` of processor time and `errors` (mean squared), a row for each seed.
    """
    return read_record(WEIGHTS / "lstm.json")


def _latch() -> dict[str, Any]:
    found: dict[str, Any] = {start: {} for start in STARTS}
    for start in STARTS:
        for lag in LAGS:
            shares, seconds = [], []
            for seed in SEEDS:
                recipe, began = LatchRecipe(start, lag, seed), time.process_time()
                model, _ = recipe.train()
                seconds.append(round(time.process_time() - began, 1))
                shares.append(recipe.judge(model))
                if lag == 100:
                    save(WEIGHTS / f"lstm_latch_{start}_{seed}.safetensors", model, dtype=torch.float16)
            found[start][str(lag)] = {"right": shares, "seconds": seconds}
            print(f"latch, {start}, lag {lag}: right {shares}, seconds {seconds}", flush=True)
    return found


def _adding() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for unit, steps in STEPS.items():
        shares, looks = [], []
        for seed in SEEDS:
            recipe = AddingRecipe(unit, seed, steps)
            looks.append(Looks(recipe.T, steps // 20))
            model, _ = recipe.train(callbacks=looks[-1:])
            shares.append(recipe.judge(model))
            save(WEIGHTS / f"lstm_adding_{unit}_{seed}.safetensors", model, dtype=torch.float16)
        found[unit] = {
            "explained": shares,
            "seconds": [look.seconds for look in looks],
            "errors": [[float(f"{error:.3g}") for error in look.errors] for look in looks],
        }
        print(f"adding, {unit}: R² {shares}, seconds {[look.seconds[-1:] for look in looks]}", flush=True)
    return found


def export() -> None:
    """Train every unit on both tasks with three seeds, on one thread, and write weights and measurements."""
    torch.set_num_threads(1)
    found = {"adding": _adding(), "latch": _latch(), "torch": torch.__version__}
    write_record(WEIGHTS / "lstm.json", found)
