"""The Transformer on numbers of up to 15 digits: task, data and processor time of the translator before it."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import expect, recipe
from attend.core.types import DropRate, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.translation import TranslationRecipe, alike, bleu, by_length, encoded
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import numbers, pairs, translation
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.transformers.ablated import AblatedTransformer
from attend.transformers.attention_weights import attention_weights
from attend.transformers.translator import Transformer

DATA = ("recipes/weights/translator*",)
SEEDS = (0, 1, 2)
RACE = {"transformer": (1_000, 500, 250), "gru": (2_000, 1_000, 500)}
"""Trainings of the race, by their steps: two steps of the gated units cost about as much as one of the Transformer."""
VARIANTS = {
    "no smoothing": {"smoothing": 0.0},
    "no warm-up": {"warm": 1},
    "after": {"norm": "post"},
    "after, no warm-up": {"norm": "post", "warm": 1},
}
"""What else is tried, each for half of the steps."""
FALLS = ("zero", "root")
SMOOTHING = 0.1
"""A tenth of the wanted chance is spread evenly over all words (label smoothing, section 5.4 of the paper)."""


@recipe
class TransformerRecipe:
    """One Transformer, taught by Adam with a rate that rises for `warm` steps and then falls.

    `fall` is one of FALLS: to "zero", along a half wave of the cosine, or as the "root", the paper's 1 / √step.
    """

    seed: Seed = 0
    steps: Positive = 1_000
    d_model: Positive = 48
    num_heads: Positive = 4
    d_ff: Positive = 96
    num_layers: Positive = 2
    dropout: DropRate = 0.0
    norm: Literal["pre", "post", "none"] = "pre"
    positions: Literal["sinusoids", "learned", "none"] = "sinusoids"
    smoothing: DropRate = SMOOTHING
    d_key: Positive | None = None
    residual: bool = True
    rate: PositiveFloat = 5e-3
    warm: Positive = 100
    fall: Literal["zero", "root"] = "zero"
    digits: Positive = 15
    most: Positive = 1_500
    batch: Positive = 64

    def build(self) -> Transformer:
        """The model at initialisation. `norm` is "pre", "post" or "none"."""
        names = "d_model", "num_heads", "d_ff", "num_layers", "dropout", "positions"
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        options |= {"end": translation.END, "generator": torch.Generator().manual_seed(self.seed)}
        vocabularies = len(translation.ENGLISH), len(translation.GERMAN)
        if self.norm == "none" or self.d_key is not None or not self.residual:
            changed = {"d_key": self.d_key, "residual": self.residual, "normalise": self.norm != "none"}
            return AblatedTransformer(*vocabularies, **changed, **options)
        return Transformer(*vocabularies, norm=self.norm, **options)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Transformer, History]:
        """Train from the start. Dropout draws from a state of its own."""
        expect(0 < self.warm <= self.steps, "warm", self.warm, f"a number of steps up to {self.steps}")
        stream = alike(
            encoded("train", self.digits, self.most), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
        )
        with torch.random.fork_rng(devices=[]):
            model = fast(self.build())
            torch.manual_seed(2_000 + self.seed)
            optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, betas=(0.9, 0.98))
            history = fit(
                model,
                self.cost,
                stream,
                steps=self.steps,
                optimiser=optimiser,
                schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, self.warmed),
                clip=1.0,
                callbacks=callbacks,
                label="learning to translate",
            )
        return model, history

    def load(self) -> Transformer:
        """The trained model of this seed, from the weights that came with the package.

        Raises ValueError for a recipe that is not the default but for its seed: no other model came with it.
        """
        expect(self == TransformerRecipe(seed=self.seed), "self", self, "TransformerRecipe(seed=…), all else as it is")
        return fast(load(weights(self.seed), self.build())).eval()

    def warmed(self, step: int) -> float:
        """The share of the rate at a step: it rises to 1 in `warm` steps, then falls."""
        if step < self.warm:
            return (step + 1) / self.warm
        if self.fall == "root":
            return (self.warm / (step + 1)) ** 0.5
        return (1 + math.cos(math.pi * (step + 1 - self.warm) / (self.steps + 1 - self.warm))) / 2

    def cost(self, model: Transformer, batch: pairs.Pairs) -> Tensor:
        """The mean surprise at the smoothed right words, in nats."""
        logits = model(batch.source, batch.mask, batch.target)
        return cross_entropy(logits[batch.asked], batch.target[batch.asked], label_smoothing=self.smoothing)


@torch.no_grad()
def measure(model: Transformer | Translator, part: str = "test", most: int = 1_500) -> dict[str, Any]:
    """What a model can do on one part of the numbers: `exact` and `bleu`, over all and `exact by length`.

    With the right pieces before it: its `surprise` at the next, in nats, and its `confidence`, the mean of the largest
    probability.
    """
    asked = encoded(part, 15, most)
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    right = pairs.exact(written, asked.target, asked.asked)
    logits = model(asked.source, asked.mask, asked.target)
    logits = (logits if isinstance(model, Transformer) else logits.logits)[asked.asked]
    found = {
        "exact": right.double().mean().item(),
        "bleu": bleu(written, asked.target),
        "surprise": cross_entropy(logits, asked.target[asked.asked]).item(),
        "confidence": logits.softmax(-1).amax(-1).mean().item(),
    }
    return {name: round(value, 4) for name, value in found.items()} | {"exact by length": by_length(right, asked.mask)}


@torch.no_grad()
def aligned(model: Transformer, part: str = "test", most: int = 1_500) -> tuple[list[list[float]], float]:
    """Of the pieces that say an English word, for how many the largest weight stands on it.

    First for each head between encoder and decoder, by layer and head, then for the mean of all these heads.
    """
    of, asked = numbers.numbers(part, 15, most), encoded(part, 15, most)
    cross, origin = attention_weights(model, asked.source, asked.mask, asked.target).cross, translation.origins(of)
    heads = [[_right(cross[:, n, k], origin) for k in range(cross.shape[2])] for n in range(cross.shape[1])]
    return heads, _right(cross.mean((1, 2)), origin)


def _right(weights: Tensor, origin: Tensor) -> float:
    return round(translation.on_the_right_word(weights, origin).double().mean().item(), 4)


def measured() -> dict[str, Any]:
    """What `export` measured on the test part: by name, steps and seed."""
    return read_record(path())


def path() -> Path:
    """Where the measurements lie."""
    return WEIGHTS / "translator.json"


def weights(seed: int) -> Path:
    """Where the trained model of a seed lies."""
    return WEIGHTS / f"translator_{seed}.safetensors"


def runs() -> list[tuple[str, int, int]]:
    """All trainings, as (name, steps, seed): the race first, then the variants."""
    race = [(name, RACE[name][i], seed) for i in range(3) for seed in SEEDS for name in RACE]
    return race + [(name, RACE["transformer"][1], seed) for name in VARIANTS for seed in SEEDS]


def export() -> None:
    """Train and measure whatever is not on record yet; keep the weights of the long trainings. About 20 minutes."""
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
        write_record(path(), found, indent=1)
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
        save(weights(seed), model, dtype=torch.float16)
    return row
