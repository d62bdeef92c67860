"""Naming a digit in the crowd: a convolutional net that was given no attention, and one that reads its places."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Positive, Seed
from attend.memory.convnet import ConvNet
from attend.recipes import WEIGHTS, read_record, write_record
from attend.soft.saliency import AttentionNet
from attend.tasks import crowd, digits
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/saliency*",)
SEEDS = (0, 1, 2)
KINDS = ("plain", "reading")
"""No attention anywhere; one query that reads the places of the last maps."""

FEATURES = (8, 24)
STEPS = {"plain": 6_000, "reading": 5_000}
"""A step of the reading net costs more: with these numbers both train for about the same processor seconds."""

RATES = {"plain": 5e-3, "reading": 1e-2}
"""Learning rates, chosen on validation canvases."""


@recipe
class CrowdRecipe:
    """One of the two nets, new canvases in each batch, Adam with one rise and fall of its rate; `steps` of its kind."""

    kind: Literal["plain", "reading"] = "plain"
    seed: Seed = 0
    steps: Positive | None = None
    batch: Positive = 32

    def build(self) -> nn.Module:
        """The net before it has seen a canvas."""
        with torch.random.fork_rng(devices=[]):
            if self.kind == "reading":
                return AttentionNet(FEATURES, generator=torch.Generator().manual_seed(self.seed))
            torch.manual_seed(self.seed)
            return ConvNet(FEATURES, image_size=crowd.WIDTH)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[nn.Module, History]:
        """Train from the start."""
        model, rate, steps = self.build(), RATES[self.kind], self.steps or STEPS[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        history = fit(
            model,
            lambda model, batch: digits.cost(logits_of(model, batch.images), batch.labels),
            crowd.batches(self.batch, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to name the digit ({self.kind})",
        )
        return model.requires_grad_(False), history

    def path(self) -> Path:
        """Where the weights lie."""
        return WEIGHTS / f"saliency_{self.kind}_{self.seed}.safetensors"

    def load(self) -> nn.Module:
        """The trained net, from the weights that came with the package."""
        return load(self.path(), self.build()).requires_grad_(False)


def logits_of(model: ConvNet | AttentionNet, images: Tensor) -> Tensor:
    """The logits of either net."""
    return model(images)[0] if isinstance(model, AttentionNet) else model(images)


def held_out(count: int = 500) -> crowd.Crowd:
    """Canvases from digits that no training has seen, the same every time."""
    return crowd.canvases("test", count, torch.Generator().manual_seed(7))


def right(model: nn.Module, of: crowd.Crowd) -> float:
    """The share of canvases that the net names as their labels, 250 at a time."""
    with torch.no_grad():
        return digits.accuracy(torch.cat([logits_of(model, part) for part in of.images.split(250)]), of.labels)


def redrawn(net: ConvNet, layers: tuple[int, ...], seed: int) -> ConvNet:
    """A copy of a plain net in which the kernels and biases of `layers` (1, 2, 3) are drawn anew."""
    fresh = CrowdRecipe(seed=seed).build()
    kept = {name: value for name, value in net.state_dict().items() if int(name[4]) not in layers}
    fresh.load_state_dict(fresh.state_dict() | kept)
    return fresh.requires_grad_(False)


def tensors(plain: ConvNet, reading: AttentionNet) -> dict[str, Tensor]:
    """The tensors of both nets by short names, as the live figure takes them."""
    parts = [("plain", *item) for item in plain.state_dict().items()]
    parts += [("reading", *item) for item in reading.state_dict().items()]
    return {f"{kind}_{name.replace('.', '_')}": value for kind, name, value in parts}


def measured() -> dict[str, Any]:
    """What `export` recorded: for each kind, by seed, processor `seconds` and the share of test canvases `right`."""
    return read_record(WEIGHTS / "saliency.json")


def export() -> None:
    """Train both nets with three seeds on one thread, and write the weights and what they cost.

    The two take turns, so that a machine that is busy for a while slows both.
    """
    torch.set_num_threads(1)
    found: dict[str, Any] = {kind: {"seconds": [], "right": []} for kind in KINDS}
    for seed in SEEDS:
        for kind in KINDS:
            recipe, began = CrowdRecipe(kind, seed), time.process_time()
            model, _ = recipe.train()
            found[kind]["seconds"].append(round(time.process_time() - began))
            found[kind]["right"].append(round(right(model, held_out(2_000)), 4))
            save(recipe.path(), model, dtype=torch.float16)
            print(kind, seed, found[kind]["seconds"][-1], found[kind]["right"][-1], flush=True)
    write_record(WEIGHTS / "saliency.json", found)
