"""Recipes that train at any size, on any number of devices: `accelerate launch -m attend.recipes NAME --size SIZE`.

A module of recipes that can be launched has `SIZES`, frozen recipes by name, "small" and "paper" among them. Such a
recipe says what `Launchable` asks for; a language model subclasses `LanguageModelRecipe`, and says `build` and, where
it has a text of its own, `tokens`:

    @recipe
    class GPTRecipe(LanguageModelRecipe):
        num_layers: Positive = 2

        def build(self) -> nn.Module:
            torch.manual_seed(self.seed)
            return GPT(…, num_layers=self.num_layers)

    SIZES = {"small": GPTRecipe(), "paper": GPTRecipe(num_layers=12, context=512, batch=64, …)}
"""

import importlib
import math
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import attend.recipes
from attend.core.expect import checked, expect, recipe
from attend.core.types import NonNegative, NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.train.checkpoint import save
from attend.train.cost import Cost, cost, on_meta
from attend.train.fit import fit
from attend.train.scale import Windows, fit_at_scale, in_order

SUSTAINED = 1e14
"""Operations a second that the time of a dry run is told for: what one large accelerator of 2020 sustains in bf16."""


@runtime_checkable
class Launchable(Protocol):
    """What a recipe says so that it can be launched. A batch is that of the whole step, in all processes together."""

    seed: int
    steps: int
    batch: int
    clip: float | None

    def build(self) -> nn.Module:
        """The model at its start, the same in every process: it draws from `seed`."""

    def batches(self) -> DataLoader:
        """The batches of whole steps in a fixed order, as attend.train.scale.in_order gives them."""

    def example(self) -> Any:
        """A batch of these shapes, whatever stands in it: for the dry run, which reads no data."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        """The mean of the loss over the examples of a batch; it calls `model` itself."""

    def optimiser(self, model: nn.Module) -> torch.optim.Optimizer:
        """Of the model's parameters."""

    def schedule(self, optimiser: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler | None:
        """How the learning rate goes, stepped once after each step; or None."""


@recipe
class LanguageModelRecipe(ABC):
    """A language model on windows of a text: AdamW, a rate that rises for `warmup` steps and falls as half a cosine.

    A step reads `batch` windows of `context` tokens. `data` is a file of token ids, as `numpy.save` writes them.
    """

    batch: Positive = 16
    context: Positive = 64
    steps: Positive = 400
    rate: PositiveFloat = 6e-3
    warmup: NonNegative = 40
    weight_decay: NonNegativeFloat = 0.01
    clip: PositiveFloat = 1.0
    seed: Seed = 0
    data: str | None = None

    @abstractmethod
    def build(self) -> nn.Module:
        """The model at its start."""

    def tokens(self) -> Tensor | np.ndarray:
        """The text to train on. Raises ValueError where there is none."""
        there = self.data is not None and Path(self.data).is_file()
        expect(there, "data", self.data, "a file of token ids, as numpy.save writes it")
        return np.load(self.data, mmap_mode="r")

    def batches(self) -> DataLoader:
        """Windows from anywhere in the text."""
        return in_order(Windows(self.tokens(), self.context, self.steps * self.batch, self.seed), self.batch)

    def example(self) -> Tensor:
        """One batch of nothing."""
        return torch.zeros(self.batch, self.context + 1, dtype=torch.long)

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Nats a token: each is predicted from those before it."""
        return cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())

    def optimiser(self, model: nn.Module) -> torch.optim.Optimizer:
        """AdamW; what has one dimension, gains and biases, does not decay."""
        learned = [weight for weight in model.parameters() if weight.requires_grad]
        groups = (
            {"params": [weight for weight in learned if weight.ndim > 1], "weight_decay": self.weight_decay},
            {"params": [weight for weight in learned if weight.ndim < 2], "weight_decay": 0.0},
        )
        return torch.optim.AdamW([group for group in groups if group["params"]], lr=self.rate)

    def schedule(self, optimiser: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler:
        """Up in a straight line, down along a cosine."""
        return torch.optim.lr_scheduler.LambdaLR(
            optimiser,
            lambda k: min(1.0, (k + 1) / max(1, self.warmup)) * (1 + math.cos(math.pi * min(1, k / self.steps))) / 2,
        )

    def train(self, callbacks=()) -> nn.Module:
        """Train on one process, without Accelerate: the same weights as alone with it."""
        parts = pieces(self)
        fit(**parts, callbacks=callbacks)
        return parts["model"]


def pieces(one: Launchable) -> dict[str, Any]:
    """What both `fit` and `fit_at_scale` ask for."""
    batches = one.batches()  # refuses missing data before a large model is made
    model = one.build()
    optimiser = one.optimiser(model)
    return {
        "model": model,
        "loss": one.loss,
        "batches": batches,
        "steps": one.steps,
        "optimiser": optimiser,
        "schedule": one.schedule(optimiser),
        "clip": one.clip,
    }


def sized(name: str, size: str, **changed: Any) -> Launchable:
    """The recipe `name` in a size, with other fields where they are given. Raises ValueError for what there is not."""
    known = {module.name for module in pkgutil.iter_modules(attend.recipes.__path__)}
    module = importlib.import_module(f"attend.recipes.{name}") if name in known else None
    sizes: Mapping[str, Launchable] | None = getattr(module, "SIZES", None)
    if sizes is None:
        raise ValueError(f"NAME: got {name!r}, expected a recipe of attend.recipes with SIZES")
    if size not in sizes:
        raise ValueError(f"--size: got {size!r}, expected one of {', '.join(sizes)}")
    return replace(sizes[size], **{field: value for field, value in changed.items() if value is not None})


def train(one: Launchable, label: str, folder: Path, **options: Any) -> str:
    """Train on every process that there is; the first writes `weights.safetensors`, and says how the loss went."""
    parts = pieces(one)
    history = fit_at_scale(**parts, label=label, folder=folder, **options)
    if int(torch.distributed.get_rank() if torch.distributed.is_initialized() else 0):
        return ""
    save(folder / "weights.safetensors", parts["model"])
    went = f"loss {history.losses[0]:.4f} at step 1, {history.losses[-1]:.4f} at step {len(history.losses)}"
    return f"{label}: {went}; {folder / 'weights.safetensors'}"


@checked
def dry_run(one: Launchable, processes: Positive = 1, accumulate: Positive = 1) -> Cost:
    """Build the model on meta and take the part of a step that one process computes at a time: shapes and costs.

    Raises ValueError where a batch cannot be shared so, and where a weight gets no gradient.
    """
    shares = processes * accumulate
    whole = f"a divisor of the batch, {one.batch}, by {accumulate} parts"
    expect(one.batch % shares == 0, "processes", processes, whole)
    smaller = replace(one, batch=one.batch // shares)
    return cost(on_meta(one.build), one.loss, on_meta(smaller.example))


def days(operations: float) -> str:
    """How many days they take at SUSTAINED a second, in two digits."""
    return f"{float(f'{operations / SUSTAINED / 86_400:.2g}'):,.12g}"


def told(one: Launchable, found: Cost, processes: int = 1, accumulate: int = 1) -> str:
    """The cost of a recipe in words."""
    step = found.flops * processes * accumulate
    parts = {
        "weights": found.weights,
        "their last good copy": found.last,
        "gradients": found.gradients,
        "Adam": found.adam,
        "activations at most": found.activations,
    }
    memory = ", ".join(f"{name} {size / 2**30:.3g}" for name, size in parts.items())
    return "\n".join(
        [
            f"{found.parameters:,} weights; every one of them gets a gradient of its shape",
            f"operations: {step:.3g} a step, {step * one.steps:.3g} in {one.steps:,} steps, "
            f"{days(step * one.steps)} days at {SUSTAINED:.0e} a second",
            f"memory of each of {processes} processes: {found.memory / 2**30:.3g} GiB in float32 ({memory})",
        ]
    )
