"""Numbers into German by a reader and a writer: without attention, or with any of the six scores, in one harness."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch

from attend.soft.decode import Written, greedy
from attend.soft.read import ReadingSeq2Seq
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.fit import History, fit


@dataclass(frozen=True)
class ReaderRecipe:
    """A translator of numbers of up to `digits` digits, `most` of each length; `score` None has no attention.

    Adam with one rise and fall of its rate; every length of source comes equally often.
    """

    score: str | None = None
    seed: int = 0
    digits: int = 9
    most: int = 2_000
    D: int = 32
    H: int = 96
    places: int = 40
    reverse: bool = False
    batch: int = 64
    steps: int = 1_500
    learning_rate: float = 5e-3

    def build(self) -> Seq2Seq:
        """The model before it has seen a number."""
        sizes = len(translation.ENGLISH), len(translation.GERMAN), self.D, self.H
        generator = torch.Generator().manual_seed(self.seed)
        if self.score is None:
            return Seq2Seq(*sizes, end=translation.END, generator=generator)
        return ReadingSeq2Seq(*sizes, self.score, end=translation.END, places=self.places, generator=generator)

    def of(self, part: str) -> tuple[int, ...]:
        """The numbers of one part."""
        return numbers.numbers(part, self.digits, self.most)

    def train(self, observers: tuple[Callable, ...] = ()) -> tuple[Seq2Seq, History]:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, self.learning_rate, total_steps=self.steps + 1, pct_start=0.1
        )
        history = fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.visible, batch.target).logits, batch.target, batch.asked
            ),
            pairs.batches(
                encoded(self.of("train"), self.reverse), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
            ),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            observers=observers,
            label=f"translating numbers ({self.score or 'no attention'})",
        )
        return model.requires_grad_(False), history


@cache
def encoded(of: tuple[int, ...], reverse: bool = False) -> Pairs:
    """`attend.tasks.translation.encode`, remembered."""
    return translation.encode(of, reverse)


def write(model: Seq2Seq, asked: Pairs) -> Written:
    """What `model` writes by itself, the likeliest token at each step."""
    return greedy(model, asked.source, asked.visible, asked.target.shape[1])
