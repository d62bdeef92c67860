"""Forty-two, zwei·und·vier·zig: a translator of numbers, taught with a sequence for a sequence."""

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.supervision import EncoderDecoder
from attend.recipes import WEIGHTS
from attend.tasks import numbers, pairs
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/numbers?.safetensors",)


@recipe
class NumbersRecipe:
    """Numbers of up to `digits` digits, `most` of each length; embeddings of width D, two RNNs of H units."""

    digits: Positive = 4
    most: Positive = 8_000
    D: Positive = 32
    H: Positive = 128
    batch: Positive = 64
    steps: Positive = 1_200
    learning_rate: PositiveFloat = 2e-3
    seed: Seed = 0
    fast: bool = True

    def build(self) -> EncoderDecoder:
        """The model before it has seen a number."""
        generator = torch.Generator().manual_seed(self.seed)
        model = EncoderDecoder(
            len(numbers.ENGLISH), len(numbers.GERMAN), self.D, self.H, numbers.END, generator=generator
        )
        return fast(model) if self.fast else model

    def train(self) -> tuple[EncoderDecoder, History]:
        """Train from the start; about seven seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        everything = numbers.encode(numbers.numbers("train", self.digits, self.most))
        history = fit(
            model,
            lambda model, batch: pairs.cost(model(batch.source, batch.mask, batch.target), batch.target, batch.asked),
            pairs.batches(everything, self.batch, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label="translating numbers",
        )
        return model, history

    def measure(self, model: EncoderDecoder, part: str = "test") -> float:
        """The share of one part's numbers that `model` writes without any mistake, running free."""
        return self.exact(model, numbers.encode(numbers.numbers(part, self.digits, self.most))).double().mean().item()

    def exact(self, model: EncoderDecoder, asked: pairs.Pairs) -> Tensor:
        """Which of the pairs `asked` come out without any mistake (B,), when the model reads only its own words."""
        written = model.generate(asked.source, asked.mask, asked.target.shape[1])
        return pairs.exact(written, asked.target, asked.asked)

    def load(self) -> EncoderDecoder:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / f"numbers{self.digits}.safetensors", self.build())


LONG = NumbersRecipe(digits=9, steps=6_000)
"""The same translator on numbers of up to nine digits: as many of each length, and five times the steps."""


def export() -> None:
    """Train the translator of long numbers and write its weights."""
    save(WEIGHTS / f"numbers{LONG.digits}.safetensors", LONG.train()[0], dtype=torch.float16)
