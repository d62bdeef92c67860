"""Numbers into German by a reader and a writer: without attention, or with any of the six scores, in one harness."""

import time
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

import torch

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.soft.decode import Decoded, greedy
from attend.soft.read import AttentionSeq2Seq
from attend.soft.scores import Name
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/readers.json",)
SEEDS = (0, 1, 2)
STEPS = {"additive": 530, "bilinear": 770, "dot": 820, "scaled_dot": 820, "cosine": 770, "location": 820}
"""Steps that take the same processor time with each score, 21 to 24 s: two of "additive" cost as much as 3 others."""
HELD = 1.0
"""The sharpness at which "cosine" is held to see what it does without one of its own."""


@recipe
class ReaderRecipe:
    """A translator of numbers of up to `digits` digits, `most` of each length; `score` None has no attention.

    Adam with one rise and fall of its rate; every length of source comes equally often. `sharpness` holds that of
    "cosine" at this value, and is not learned then.
    """

    score: Name | None = None
    seed: Seed = 0
    fast: bool = True
    digits: Positive = 9
    most: Positive = 2_000
    D: Positive = 32
    H: Positive = 96
    places: Positive = 40
    reverse: bool = False
    batch: Positive = 64
    steps: Positive = 1_500
    learning_rate: PositiveFloat = 5e-3
    sharpness: PositiveFloat | None = None

    def build(self) -> Seq2Seq:
        """The model before it has seen a number."""
        sizes = len(translation.ENGLISH), len(translation.GERMAN), self.D, self.H
        generator = torch.Generator().manual_seed(self.seed)
        if self.score is None:
            model = Seq2Seq(*sizes, end=translation.END, generator=generator)
            return fast(model) if self.fast else model
        model = AttentionSeq2Seq(*sizes, self.score, end=translation.END, max_length=self.places, generator=generator)
        if self.sharpness is not None:
            expect(self.score == "cosine", "sharpness", self.sharpness, f"none, for {self.score} has none")
            model.score.weights["inverse_temperature"].data.fill_(self.sharpness)
            model.score.weights["inverse_temperature"].requires_grad_(False)
        return fast(model) if self.fast else model

    def of(self, part: str) -> tuple[int, ...]:
        """The numbers of one part."""
        return numbers.numbers(part, self.digits, self.most)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Seq2Seq, History]:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = one_cycle(optimiser, self.steps)
        history = fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
            ),
            pairs.batches(
                encoded(self.of("train"), self.reverse), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
            ),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            callbacks=callbacks,
            label=f"translating numbers ({self.score or 'no attention'})",
        )
        return model.requires_grad_(False), history


@cache
def encoded(of: tuple[int, ...], reverse: bool = False) -> Pairs:
    """`attend.tasks.translation.encode`, remembered."""
    return translation.encode(of, reverse)


def write(model: Seq2Seq, asked: Pairs) -> Decoded:
    """What `model` writes by itself, the likeliest token at each step."""
    return greedy(model, asked.source, asked.mask, asked.target.shape[1])


@torch.no_grad()
def judge(model: Seq2Seq, of: tuple[int, ...]) -> dict[str, float]:
    """How well a model translates the numbers `of`: `exact`, the share without a mistake.

    Of one that looks, when the true pieces are given: `found`, how often the largest weight is on the right word;
    `largest`, the mean largest weight; and `spread`, the variance of the scores of one query.
    """
    asked = encoded(of)
    written = write(model, asked)
    judged = {"exact": pairs.exact(written.tokens, asked.target, asked.asked).double().mean().item()}
    if isinstance(model, AttentionSeq2Seq):
        weights = model(asked.source, asked.mask, asked.target).weights
        long = weights[asked.asked & (asked.mask.sum(1, keepdim=True) >= 8)]
        there = long > 0
        scores = long.log().masked_fill(~there, 0)
        mean = scores.sum(1, keepdim=True) / there.sum(1, keepdim=True)
        judged["found"] = translation.on_the_right_word(weights, translation.origins(of)).double().mean().item()
        judged["largest"] = long.amax(1).mean().item()
        judged["spread"] = (((scores - mean) ** 2 * there).sum(1) / there.sum(1)).mean().item()
    return judged


def measured() -> dict[str, Any]:
    """What `export` measured, on the test part.

    `scores`: by score (and "held", cosine at a fixed sharpness) lists with a value a seed: `seconds` of processor time,
    what `judge` says, the training `losses` (means over twentieths of it), and the `sharpness` that "cosine" learned.
    `milliseconds`: of one step of training.
    """
    return read_record(WEIGHTS / "readers.json")


def milliseconds(steps: int = 40, rounds: int = 3) -> dict[str, float]:
    """Processor time of one step of training with each score: the median of `rounds` runs, taken by turns."""
    taken: dict[str, list[float]] = {score: [] for score in STEPS}
    for _ in range(rounds):
        for score, runs in taken.items():
            began = time.process_time()
            ReaderRecipe(score, steps=steps).train()
            runs.append(1_000 * (time.process_time() - began) / steps)
    return {score: median(runs) for score, runs in taken.items()}


def timed(score: str, seed: int = 0) -> ReaderRecipe:
    """The recipe of `score` in the contest of equal time; "held" is cosine with its sharpness held at `HELD`."""
    if score == "held":
        return ReaderRecipe("cosine", seed, steps=STEPS["cosine"], sharpness=HELD)
    expect(score in STEPS, "score", score, f'one of {", ".join(STEPS)}, or "held"')
    return ReaderRecipe(score, seed, steps=STEPS[score])


def export() -> None:
    """Train a translator with each score and three seeds, in equal time; eight to nine minutes on one core."""
    torch.set_num_threads(1)
    encoded(timed("dot").of("train"))
    found: dict[str, Any] = {"milliseconds": milliseconds(), "scores": {}, "torch": torch.__version__}
    for seed in SEEDS:
        for score in (*STEPS, "held"):
            recipe, began = timed(score, seed), time.process_time()
            model, history = recipe.train()
            run = {"seconds": time.process_time() - began} | judge(model, recipe.of("test"))
            if score == "cosine":
                run["sharpness"] = model.score.weights["inverse_temperature"].item()
            run = {name: float(f"{value:.4g}") for name, value in run.items()}
            print(f"{score}, seed {seed}: {run}", flush=True)
            losses = torch.tensor(history.losses).tensor_split(min(20, recipe.steps))
            run["losses"] = [float(f"{part.mean().item():.3g}") for part in losses]
            row = found["scores"].setdefault(score, {})
            for name, value in run.items():
                row.setdefault(name, []).append(value)
            write_record(WEIGHTS / "readers.json", found)
