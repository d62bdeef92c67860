"""Search for the digit: a model that chooses its glimpses, and three that do not, each given the same seconds."""

import inspect
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, cross_entropy, linear, pad

from attend.core.expect import expect
from attend.hard import ram
from attend.hard.glimpse import corners, crop
from attend.hard.ram import Looks, Ram
from attend.memory.convnet import ConvNet
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.saliency import quick as convolved
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

AIMED = 0.3
"""What the lesson for places weighs beside the one for names. With 0.1 the later glimpses stray from the digit, with 1
the names suffer: after 5,000 steps 0.832 and 0.829 right on validation canvases, beside 0.845."""

PASSES = 4
"""So often a bank of canvases is gone through before a new one is made."""

WIDE, NARROW = 0.25, 0.1
"""Standard deviation of a place around its mean, at the first step and at the last."""

STRAY = 4
"""In one batch of so many the first glimpse falls anywhere: the model learns to find its way from there, too."""

_corners, _crop = inspect.unwrap(corners), inspect.unwrap(crop)
"""The same functions without their checks, which read the whole image."""

GAIN, KEEP, AIM = 1.7, 0.7, 0.3
"""How training begins: the encoder's weights are GAIN times a readout's, and the memory keeps KEEP of each number. The
head that aims learns at the share AIM of the rate, since Adam would let it wander as fast on noise as on news."""


@dataclass(frozen=True)
class SearchRecipe:
    """One of the four models on the canvases of `tasks.search`, Adam with a rate that falls along a cosine."""

    kind: str = "ram"
    seed: int = 0
    steps: int | None = None

    def build(self) -> nn.Module:
        """The model before it has seen a canvas. Raises ValueError for an unknown kind."""
        expect(self.kind in KINDS, "kind", self.kind, f"one of {', '.join(KINDS)}")
        if self.kind in ("ram", "random"):
            return _stirred(Ram(generator=torch.Generator().manual_seed(self.seed)))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            if self.kind == "conv":
                return ConvNet(image=search.WIDTH)
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
        aim = list(model.aim.parameters()) if self.kind == "ram" else []
        rest = [p for p in model.parameters() if all(p is not q for q in aim)]
        groups = [{"params": rest}] + [{"params": aim, "lr": AIM * rate}] * bool(aim)
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
                looks = quick(model, batch.images, GLIMPSES, given, sigma, generator)
                return ram.loss(looks, batch.labels, AIMED)
            return cross_entropy(*_asked(said(model, batch.images, generator), batch.labels))

        return loss

    def path(self) -> Path:
        """Where the weights lie."""
        return WEIGHTS / f"ram_{self.seed}.safetensors"

    def load(self) -> nn.Module:
        """The trained model that chooses its glimpses, from the weights that came with the package."""
        expect(self.kind == "ram", "kind", self.kind, "'ram', the only kind whose weights come with the package")
        return load(self.path(), self.build()).requires_grad_(False)


def _stirred(model: Ram) -> Ram:
    """First weights at which the summary changes with what is seen, and adds up what it saw."""
    with torch.no_grad():
        for part in (model.what, model.where, model.encode, model.take):
            part.weights.mul_(GAIN)
        model.keep.copy_(KEEP * torch.eye(model.H))
    return model


def _asked(scores: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Scores (B, T, K) and labels (B), one row for each glimpse."""
    return scores.flatten(0, 1), labels.repeat_interleave(scores.shape[1])


def said(model: nn.Module, images: Tensor, generator: torch.Generator, T: int = GLIMPSES) -> Tensor:
    """Class scores (B, T, K) of the kinds that do not choose: after each of T random glimpses, or once (T = 1)."""
    if isinstance(model, Ram):
        return quick(model, images, T, anywhere(len(images), T, generator)).scores
    return (convolved(model, images) if isinstance(model, ConvNet) else model(images))[:, None]


def anywhere(count: int, T: int, generator: torch.Generator) -> Tensor:
    """Random places (count, T, 2), drawn evenly from where the middle of a digit can lie."""
    return REACH * (2 * torch.rand(count, T, 2, generator=generator) - 1)


def means_of(images: Tensor, scales: int) -> list[Tensor]:
    """For each scale k the mean of 2ᵏ x 2ᵏ pixels from every pixel on, with 2ᵏ rows and columns of margin."""
    means = [pad(images, (1, 1, 1, 1))]
    for k in range(scales - 1):
        wider = pad(means[-1], (2**k,) * 4)
        rows = wider[:, : -(2**k)] + wider[:, 2**k :]
        means.append((rows[:, :, : -(2**k)] + rows[:, :, 2**k :]) / 4)
    return means


def sensed(means: list[Tensor], places: Tensor, width: int, size: int) -> Tensor:
    """The numbers of a glimpse (B, scales·size²), picked from the means of a whole image `width` pixels wide."""
    wide, picked = size * 2 ** (len(means) - 1), []
    first = ((places + 1) / 2 * width - wide / 2).round().long()
    for k, mean in enumerate(means):
        reach = (torch.arange(size) * 2**k) + (wide - size * 2**k) // 2 + 2**k
        rows, columns = (first[:, :, None] + reach).clamp(0, mean.shape[1] - 1).unbind(dim=1)
        at = rows[:, :, None] * mean.shape[2] + columns[:, None]
        picked.append(mean.flatten(1).gather(1, at.flatten(1)))
    return torch.cat(picked, dim=1)


def cropped(images: Tensor, places: Tensor, scales: int, size: int) -> Tensor:
    """The same numbers from the pixels under the sensor alone, whatever the size of the image."""
    wide, parts = size * 2 ** (scales - 1), []
    seen = _crop(images, _corners(places, *images.shape[1:], wide), wide)
    for k in range(scales):
        edge = (seen.shape[1] - size) // 2
        parts.append(seen[:, edge : edge + size, edge : edge + size].flatten(1))
        seen = avg_pool2d(seen[:, None], 2)[:, 0] if k < scales - 1 else seen
    return torch.cat(parts, dim=1)


def quick(
    model: Ram,
    images: Tensor,
    T: int,
    given: Tensor | None = None,
    sigma: float = 0.0,
    generator: torch.Generator | None = None,
    whole: bool = True,
) -> Looks:
    """The same looks as `model(images, T, given, sigma, generator)`, in a third of the time: nothing is checked.

    With `whole`, all means that a sensor can ask for are made first, once for each image. This pays for small images.
    """
    means = means_of(images, model.scales) if whole else []
    state, looks = model.start(len(images)), []
    for t in range(T):
        mean, value = _read(model.aim, state).tanh(), _read(model.value, state.detach()).squeeze(1)
        place, log_chance = mean.detach(), torch.zeros_like(value)
        if given is not None and t < given.shape[1]:
            place = given[:, t]
        elif sigma > 0:
            place = place + sigma * torch.randn(place.shape, generator=generator)
            apart = ((place - mean) / sigma).square().sum(dim=1)
            log_chance = -0.5 * apart - 2 * math.log(sigma) - math.log(2 * math.pi)
        if whole:
            seen = sensed(means, place, images.shape[1], model.size)
        else:
            seen = cropped(images, place, model.scales, model.size)
        parts = torch.cat([_read(model.what, seen), _read(model.where, place)], dim=1).relu()
        code = _read(model.encode, parts).relu()
        state = torch.addmm(_read(model.take, code), state, model.keep.T).relu()
        looks.append((place, mean, log_chance, value, _read(model.classify, state), state))
    return Looks(*(torch.stack(part, dim=1) for part in zip(*looks, strict=True)))


def _read(part: nn.Module, vectors: Tensor) -> Tensor:
    return linear(vectors, part.weights, part.bias)


def unseen(split: str = "test", count: int = 2_000) -> search.Crowd:
    """Canvases from digits that no training has seen, the same every time."""
    return search.canvases(split, count, torch.Generator().manual_seed(8))


def judged(model: nn.Module, of: search.Crowd, T: int = 8, given: Tensor | None = None) -> dict[str, list[float]]:
    """For 1, 2, … T glimpses, the share of canvases named right, and how far from the digit the last of them lies.

    Distances are in pixels. A model that chooses takes its places at the mean, after the `given` ones; random glimpses
    are all given. A net that takes in the whole image has one share and no distance.
    """
    with torch.no_grad():
        if isinstance(model, Ram):
            looks = quick(model, of.images, T, given)
            away = search.distance(looks.places, of.corners).mean(dim=0).tolist()
            scores = looks.scores
        else:
            parts = [said(model, images, torch.Generator()) for images in of.images.split(250)]
            scores, away = torch.cat(parts), []
    right = (scores.argmax(dim=2) == of.labels[:, None]).double().mean(dim=0).tolist()
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

    The shares named right and the distances are those of `judged`, on 2,000 test canvases.
    """
    return read_record(RECORD)


def export(kinds: tuple[str, ...] = KINDS, seeds: tuple[int, ...] = SEEDS) -> None:
    """Train kinds with seeds on one thread; write what came out, and the weights of the one that chooses."""
    torch.set_num_threads(1)
    _note("paces", paces())
    of = unseen()
    for kind, seed in product(kinds, seeds):
        recipe = SearchRecipe(kind, seed)
        model, _ = recipe.train()
        if kind == "ram":
            save(recipe.path(), model, dtype=torch.float16)
            model = recipe.load()
        given = anywhere(len(of.labels), 8, torch.Generator().manual_seed(9)) if kind == "random" else None
        run = {"steps": STEPS[kind], **judged(model, of, 8, given)}
        _note(kind, {str(seed): run})
        print(kind, seed, run, flush=True)


def _note(kind: str, what: dict[str, Any]) -> None:
    """Add to the record, or write over what it said."""
    found = measured() if RECORD.exists() else {}
    found[kind] = found.get(kind, {}) | what
    write_record(RECORD, found, indent=1)
