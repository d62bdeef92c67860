"""Numbers into German with attention by content and by location: the two light translators of a live figure."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import torch

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.soft.decode import greedy
from attend.soft.read import AttentionSeq2Seq
from attend.tasks import numbers, pairs, translation
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/looking*",)
LIGHT: dict[str, tuple[Literal["location", "bilinear"], int]] = {
    "location": ("location", 0),
    "content": ("bilinear", 1),
}
"""Score and seed of each; of content the seed, among three, whose weights fit best on the validation numbers."""


@recipe
class LightRecipe:
    """A translator of numbers of up to `digits` digits, `most` of each length, which have at most `places` words.

    Adam with one rise and fall of its rate; every length of source comes equally often.
    """

    score: Literal["location", "bilinear"] = "bilinear"
    seed: Seed = 0
    digits: Positive = 6
    most: Positive = 2_000
    D: Positive = 24
    H: Positive = 48
    places: Positive = 11
    batch: Positive = 64
    steps: Positive = 600
    learning_rate: PositiveFloat = 5e-3

    def build(self) -> AttentionSeq2Seq:
        """The model before it has seen a number."""
        sizes = len(translation.ENGLISH), len(translation.GERMAN), self.D, self.H
        generator = torch.Generator().manual_seed(self.seed)
        return fast(
            AttentionSeq2Seq(*sizes, self.score, end=translation.END, max_length=self.places, generator=generator)
        )

    def of(self, part: str) -> tuple[int, ...]:
        """The numbers of one part."""
        return numbers.numbers(part, self.digits, self.most)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[AttentionSeq2Seq, History]:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
            ),
            pairs.batches(
                translation.encode(self.of("train")), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
            ),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"translating numbers ({self.score})",
        )
        return model.requires_grad_(False), history


def light(by: str) -> LightRecipe:
    """One of `LIGHT`."""
    expect(by in LIGHT, "by", by, f"one of {', '.join(LIGHT)}")
    score, seed = LIGHT[by]
    return LightRecipe(score, seed)


def load_light(by: str) -> AttentionSeq2Seq:
    """One of `LIGHT`, with the weights that came with the package."""
    return load(_path(by), light(by).build()).requires_grad_(False)


@torch.no_grad()
def judge(model: AttentionSeq2Seq, of: tuple[int, ...]) -> dict[str, float]:
    """How well a model translates the numbers `of`: the share `exact`.

    And, when the true tokens are given: how often the largest weight is on the right word (`found`), and how often on
    it or one of the next two (`near`).
    """
    test, origin = translation.encode(of), translation.origins(of)
    written = greedy(model, test.source, test.mask, test.target.shape[1]).tokens
    weights = model(test.source, test.mask, test.target).weights
    off = (weights.argmax(2) - origin)[origin != translation.NOWHERE]
    return {
        "exact": pairs.exact(written, test.target, test.asked).double().mean().item(),
        "found": (off == 0).double().mean().item(),
        "near": ((off >= 0) & (off <= 2)).double().mean().item(),
    }


def _path(by: str) -> Path:
    return WEIGHTS / f"looking_{by}.safetensors"


def export() -> None:
    """Train both, and keep their weights; half a minute on one core."""
    torch.set_num_threads(1)
    for by in LIGHT:
        model, _ = light(by).train()
        print(f"{by}: {judge(model, light(by).of('validation'))}", flush=True)
        save(_path(by), model, dtype=torch.float16)
