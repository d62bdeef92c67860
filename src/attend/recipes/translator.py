"""The Transformer on numbers of up to 15 digits: task, data and processor time of the translator before it."""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import expect
from attend.recipes import WEIGHTS
from attend.recipes.translation import TranslationRecipe, alike, bleu, by_length, encoded
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import numbers, pairs, translation
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.transformers.looks import looks, needed
from attend.transformers.translator import Transformer

SEEDS = (0, 1, 2)
RACE = {"transformer": (1_000, 500, 250), "gru": (2_000, 1_000, 500)}
"""Trainings of the race, by their steps: two steps of the gated units cost about as much as one of the Transformer."""
VARIANTS = {
    "no smoothing": {"smoothing": 0.0},
    "no warm-up": {"warm": 1},
    "after": {"order": "after"},
    "after, no warm-up": {"order": "after", "warm": 1},
}
"""What else is tried, each for half of the steps."""
NEAR = (-2, -1, 0, 1, 2)
"""How far from the word that looks a look may go to be counted."""
FALLS = ("zero", "root")
SMOOTHING = 0.1
"""A tenth of the wanted chance is spread evenly over all words (label smoothing, section 5.4 of the paper)."""


@dataclass(frozen=True)
class TransformerRecipe:
    """One Transformer, taught by Adam with a rate that rises for `warm` steps and then falls.

    `fall` is one of FALLS: to "zero", along a half wave of the cosine, or as the "root", the paper's 1 / √step.
    """

    seed: int = 0
    steps: int = 1_000
    D: int = 48
    K: int = 4
    F: int = 96
    N: int = 2
    order: str = "before"
    positions: str = "sinusoids"
    drop: float = 0.0
    smoothing: float = SMOOTHING
    Q: int | None = None
    R: int | None = None
    residual: bool = True
    rate: float = 5e-3
    warm: int = 100
    fall: str = "zero"
    digits: int = 15
    most: int = 1_500
    batch: int = 64

    def build(self) -> Transformer:
        """The model before it has seen a number."""
        vocabularies = len(translation.ENGLISH), len(translation.GERMAN)
        sizes = (self.D, self.K, self.F, self.N, self.order, self.positions, self.drop, self.Q, self.R, self.residual)
        generator = torch.Generator().manual_seed(self.seed)
        return Transformer(*vocabularies, *sizes, end=translation.END, generator=generator)

    def train(self, observers: tuple[Callable, ...] = ()) -> tuple[Transformer, History]:
        """Train from the start. What is left out by chance is drawn from a state of its own."""
        expect(0 < self.warm <= self.steps, "warm", self.warm, f"a number of steps up to {self.steps}")
        expect(self.fall in FALLS, "fall", self.fall, f"one of {', '.join(FALLS)}")
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, betas=(0.9, 0.98))
        stream = alike(
            encoded("train", self.digits, self.most), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(2_000 + self.seed)
            history = fit(
                model,
                self.cost,
                stream,
                steps=self.steps,
                optimiser=optimiser,
                schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, self.warmed),
                clip=1.0,
                observers=observers,
                label="learning to translate",
            )
        return model, history

    def load(self) -> Transformer:
        """The trained model of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "translator.safetensors", TransformerRecipe().build()).eval()

    def warmed(self, step: int) -> float:
        """The share of the rate at a step: it rises to 1 in `warm` steps, then falls."""
        if step < self.warm:
            return (step + 1) / self.warm
        if self.fall == "root":
            return (self.warm / (step + 1)) ** 0.5
        return (1 + math.cos(math.pi * (step + 1 - self.warm) / (self.steps + 1 - self.warm))) / 2

    def cost(self, model: Transformer, batch: pairs.Pairs) -> Tensor:
        """The mean surprise at the smoothed right words, in nats."""
        logits = model(batch.source, batch.visible, batch.target)
        return cross_entropy(logits[batch.asked], batch.target[batch.asked], label_smoothing=self.smoothing)


@torch.no_grad()
def measure(model: Transformer | Translator, part: str = "test", most: int = 1_500) -> dict[str, Any]:
    """What a model can do on one part of the numbers: `exact` and `bleu`, over all and `exact by length`.

    With the right pieces before it: its `surprise` at the next, in nats, and its `confidence`, the mean of the largest
    probability.
    """
    asked = encoded(part, 15, most)
    written = greedy(model, asked.source, asked.visible, asked.target.shape[1]).tokens
    right = pairs.exact(written, asked.target, asked.asked)
    logits = model(asked.source, asked.visible, asked.target)
    logits = (logits if isinstance(model, Transformer) else logits.logits)[asked.asked]
    found = {
        "exact": right.double().mean().item(),
        "bleu": bleu(written, asked.target),
        "surprise": cross_entropy(logits, asked.target[asked.asked]).item(),
        "confidence": logits.softmax(-1).amax(-1).mean().item(),
    }
    return {name: round(value, 4) for name, value in found.items()} | {
        "exact by length": by_length(right, asked.visible)
    }


@torch.no_grad()
def looked(model: Transformer, part: str = "test", most: int = 1_500) -> dict[str, Any]:
    """Where the heads look, by layer and head: shares of the steps at which the largest weight stands `NEAR` the one

    that looks, in the `encoder` and `decoder` (there the step that writes a piece stands on the piece before it), and
    `between` them on the word that is said next, over `all` pieces that say one and those at which looking is `needed`,
    with the `share` of these.
    """
    of, asked = numbers.numbers(part, 15, most), encoded(part, 15, most)
    found, origin = looks(model, asked.source, asked.visible, asked.target), translation.origins(of)
    said = origin != translation.NOWHERE
    mattered = needed(model, asked.source, asked.visible, asked.target)[said]
    hits = found.between.argmax(-1).movedim(0, 2)[:, :, said] == origin[said]
    return {
        "encoder": _near(found.encoder, asked.visible),
        "decoder": _near(found.decoder, asked.asked),
        "between": {
            "all": _rounded(hits.double().mean(-1)),
            "needed": _rounded(hits[:, :, mattered].double().mean(-1)),
            "share": round(mattered.double().mean().item(), 4),
        },
    }


def _near(weights: Tensor, there: Tensor) -> dict[str, list[list[float]]]:
    """The share of the steps that are `there` (B, T) whose largest weight is so far away, for each layer and head."""
    away = weights.argmax(-1) - torch.arange(weights.shape[-1])
    away = away.movedim(0, 2)[:, :, there]
    return {str(by): _rounded((away == by).double().mean(-1)) for by in NEAR}


def _rounded(shares: Tensor) -> list:
    return [[round(share, 4) for share in row] for row in shares.tolist()]


def measured() -> dict[str, Any]:
    """What `export` measured on the test part: by name, steps and seed."""
    return json.loads(path().read_text())


def path() -> Path:
    """Where the measurements lie."""
    return WEIGHTS / "translator.json"


def runs() -> list[tuple[str, int, int]]:
    """All trainings, as (name, steps, seed): the race first, then the variants."""
    race = [(name, RACE[name][i], seed) for i in range(3) for seed in SEEDS for name in RACE]
    return race + [(name, RACE["transformer"][1], seed) for name in VARIANTS for seed in SEEDS]


def export() -> None:
    """Train and measure whatever is not on record yet; keep the weights of the first. About 20 minutes in all."""
    for part in ("train", "test"):
        encoded(part)
    found = measured() if path().exists() else {}
    settings = {"torch": torch.__version__, "recipe": asdict(TransformerRecipe())}
    if found.get("settings") != settings:
        found = {"settings": settings}
    for name, steps, seed in runs():
        rows = found.setdefault(name, {}).setdefault(str(steps), {})
        if str(seed) in rows:
            continue
        rows[str(seed)] = _run(name, steps, seed)
        _write(found)
        row = rows[str(seed)]
        print(f"{name}, {steps} steps, {seed}: exact {row['exact']:.3f} after {row['seconds']:.0f} s", flush=True)


def _run(name: str, steps: int, seed: int) -> dict[str, Any]:
    """One training, with its processor seconds, and all that is measured of it."""
    if name == "gru":
        recipe = TranslationRecipe(seed=seed, steps=steps)
    else:
        recipe = TransformerRecipe(seed=seed, steps=steps, **VARIANTS.get(name, {}))
    began = time.process_time()
    model, _ = recipe.train()
    row = {"seconds": round(time.process_time() - began, 1)} | measure(model)
    if name == "transformer" and steps == RACE[name][0]:
        row["looks"] = looked(model)
        if seed == 0:
            save(WEIGHTS / "translator.safetensors", model, dtype=torch.float16)
    return row


def _write(found: dict[str, Any]) -> None:
    """Whole or not at all."""
    part = path().with_suffix(".json.part")
    part.write_text(json.dumps(found, indent=1) + "\n")
    os.replace(part, path())
