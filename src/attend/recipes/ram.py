"""Search for the digit: a model that chooses its glimpses, and three that do not, each given the same seconds."""

import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import expect, recipe
from attend.core.types import Positive, Seed
from attend.fast import fast
from attend.hard import ram
from attend.hard.ram import RAM
from attend.memory.convnet import ConvNet
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.saliency import logits_of as convolved
from attend.tasks import search
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/ram*",)
SEEDS = (0, 1, 2)
KINDS = ("ram", "random", "dense", "conv")
"""Glimpses of its own choice; the same net with places drawn evenly; two nets that take in the whole image."""

RECORD = WEIGHTS / "ram.json"

GLIMPSES = 5
REACH = 1 - search.SIDE / search.WIDTH
"""Random glimpses fall where a digit's middle can lie: up to this far from the middle of the canvas."""

STEPS = {"ram": 10_000, "random": 12_300, "dense": 14_700, "conv": 9_000}
"""Steps that take each of the four the same processor time, about, on one thread: see `paces`."""

BATCH = {"ram": 128, "random": 128, "dense": 128, "conv": 64}
RATES = {"ram": 3e-3, "random": 3e-3, "dense": 1e-3, "conv": 2e-3}
"""Canvases in a batch, and learning rates, chosen on validation canvases."""

POLICY_WEIGHT = 0.3
"""The weight of the REINFORCE loss beside the cross-entropy. With 0.1 the later glimpses stray from the digit, with 1
the names suffer: after 5,000 steps 0.832 and 0.829 right on validation canvases, beside 0.845."""

PASSES = 4
"""So often a bank of canvases is gone through before a new one is made."""

WIDE, NARROW = 0.25, 0.1
"""Standard deviation of a place around its mean, at the first step and at the last."""

STRAY = 4
"""In one batch of so many the first glimpse falls anywhere: the model learns to find its way from there, too."""

GAIN, KEEP, SLOWER = 1.7, 0.7, 0.3
"""At initialisation the glimpse network's weights are GAIN times the usual ones, and U is KEEP times the identity. The
location head learns at SLOWER times the rate, since Adam would move it as fast on noise as on signal."""


@recipe
class SearchRecipe:
    """One of the four models on the canvases of `tasks.search`, Adam with a rate that falls along a cosine."""

    kind: Literal["ram", "random", "dense", "conv"] = "ram"
    seed: Seed = 0
    steps: Positive | None = None

    def build(self) -> nn.Module:
        """The model before it has seen a canvas."""
        with torch.random.fork_rng(devices=[]):
            if self.kind in ("ram", "random"):
                return _init(fast(RAM(generator=torch.Generator().manual_seed(self.seed))))
            torch.manual_seed(self.seed)
            if self.kind == "conv":
                return ConvNet(image_size=search.WIDTH)
            layers = nn.Linear(search.WIDTH**2, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
            return nn.Sequential(nn.Flatten(), *layers)

    def batches(self) -> Iterator[search.Crowd]:
        """Endless batches: banks of new training canvases, each gone through PASSES times in random order."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            bank = search.canvases("train", search.BANK, generator)
            for _ in range(PASSES):
                for rows in torch.randperm(search.BANK, generator=generator).split(BATCH[self.kind]):
                    yield search.Crowd(*(part[rows] for part in bank))

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[nn.Module, History]:
        """Train from the start, by default for the STEPS of its kind."""
        model, rate, steps = self.build(), RATES[self.kind], self.steps or STEPS[self.kind]
        head = list(model.location_head.parameters()) if self.kind == "ram" else []
        rest = [p for p in model.parameters() if all(p is not q for q in head)]
        groups = [{"params": rest}] + [{"params": head, "lr": SLOWER * rate}] * bool(head)
        optimiser = torch.optim.Adam(groups, lr=rate)
        history = fit(
            model,
            self._loss(steps),
            self.batches(),
            steps=steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to name the digit ({self.kind})",
        )
        return model.requires_grad_(False), history

    def _loss(self, steps: int) -> Callable[[nn.Module, search.Crowd], Tensor]:
        generator, done = torch.Generator().manual_seed(2_000 + self.seed), iter(range(steps))

        def loss(model: nn.Module, batch: search.Crowd) -> Tensor:
            if self.kind == "ram":
                step = next(done)
                sigma = WIDE + (NARROW - WIDE) * step / steps
                given = anywhere(len(batch.labels), 1, generator) if step % STRAY == 0 else None
                episode = model(batch.images, GLIMPSES, given, sigma, generator)
                return ram.loss(episode, batch.labels, POLICY_WEIGHT)
            logits = logits_of(model, batch.images, generator)
            return cross_entropy(logits.flatten(0, 1), batch.labels.repeat_interleave(logits.shape[1]))

        return loss

    def path(self) -> Path:
        """Where the weights lie."""
        return WEIGHTS / f"ram_{self.seed}.safetensors"

    def load(self) -> nn.Module:
        """The trained model that chooses its glimpses, from the weights that came with the package."""
        expect(self.kind == "ram", "kind", self.kind, "'ram', the only kind whose weights come with the package")
        return load(self.path(), self.build()).requires_grad_(False)


def _init(model: RAM) -> RAM:
    """First weights at which the hidden state changes with what is seen, and adds up what it saw."""
    with torch.no_grad():
        for layer in (model.what, model.where, model.combine, model.from_input):
            layer.weight.mul_(GAIN)
        model.from_hidden.weight.copy_(KEEP * torch.eye(model.hidden_size))
    return model


def logits_of(model: nn.Module, images: Tensor, generator: torch.Generator, T: int = GLIMPSES) -> Tensor:
    """Class logits (B, T, C) of the kinds that do not choose: after each of T random glimpses, or once (T = 1)."""
    if isinstance(model, RAM):
        return model(images, T, anywhere(len(images), T, generator)).logits
    return (convolved(model, images) if isinstance(model, ConvNet) else model(images))[:, None]


def anywhere(count: int, T: int, generator: torch.Generator) -> Tensor:
    """Random places (count, T, 2), drawn evenly from where the middle of a digit can lie."""
    return REACH * (2 * torch.rand(count, T, 2, generator=generator) - 1)


def held_out(split: str = "test", count: int = 2_000) -> search.Crowd:
    """Canvases from digits that no training has seen, the same every time."""
    return search.canvases(split, count, torch.Generator().manual_seed(8))


def evaluate(model: nn.Module, of: search.Crowd, T: int = 8, given: Tensor | None = None) -> dict[str, list[float]]:
    """For 1, 2, … T glimpses, the share of canvases named right, and how far from the digit the last of them lies.

    Distances are in pixels. A model that chooses takes its places at the mean, after the `given` ones; random glimpses
    are all given. A net that takes in the whole image has one share and no distance.
    """
    with torch.no_grad():
        if isinstance(model, RAM):
            episode = model(of.images, T, given)
            away = search.distance(episode.locations, of.corners).mean(dim=0).tolist()
            logits = episode.logits
        else:
            parts = [logits_of(model, images, torch.Generator()) for images in of.images.split(250)]
            logits, away = torch.cat(parts), []
    right = (logits.argmax(dim=2) == of.labels[:, None]).double().mean(dim=0).tolist()
    return {"right": [round(share, 4) for share in right], "away": [round(pixels, 2) for pixels in away]}


def paces(rounds: int = 4, steps: int = 128) -> dict[str, float]:
    """Processor milliseconds that a step of each kind takes, the kinds taking turns on the same machine."""
    spent = dict.fromkeys(KINDS, 0.0)
    for _, kind in product(range(rounds), KINDS):
        began = time.process_time()
        SearchRecipe(kind, steps=steps).train()
        spent[kind] += time.process_time() - began
    return {kind: round(1e3 * seconds / (rounds * steps), 1) for kind, seconds in spent.items()}


def measured() -> dict[str, dict[str, Any]]:
    """What `export` recorded: `paces`, and for each kind, for each seed, `steps`, `right` and `away`.

    The shares named right and the distances are those of `evaluate`, on 2,000 test canvases.
    """
    return read_record(RECORD)


def export(kinds: tuple[str, ...] = KINDS, seeds: tuple[int, ...] = SEEDS) -> None:
    """Train kinds with seeds on one thread; write what came out, and the weights of the one that chooses."""
    torch.set_num_threads(1)
    _note("paces", paces())
    of = held_out()
    for kind, seed in product(kinds, seeds):
        recipe = SearchRecipe(kind, seed)
        model, _ = recipe.train()
        if kind == "ram":
            save(recipe.path(), model, dtype=torch.float16)
            model = recipe.load()
        given = anywhere(len(of.labels), 8, torch.Generator().manual_seed(9)) if kind == "random" else None
        run = {"steps": STEPS[kind], **evaluate(model, of, 8, given)}
        _note(kind, {str(seed): run})
        print(kind, seed, run, flush=True)


def _note(kind: str, what: dict[str, Any]) -> None:
    """Add to the record, or write over what it said."""
    found = measured() if RECORD.exists() else {}
    found[kind] = found.get(kind, {}) | what
    write_record(RECORD, found, indent=1)
