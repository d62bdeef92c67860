"""Where is each spoken digit written? Three readers of number words: from the left, from the right, and both ways."""

import time
from dataclasses import replace
from typing import Literal

import torch

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.gating.bidirectional import Bidirectional, Tagger
from attend.gating.lstm import LSTM
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import places
from attend.tasks.numbers import ENGLISH
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/bidirectional.*",)
SEEDS = (0, 1, 2)
DIRECTIONS = ("left", "right", "both")


@recipe
class PlacesRecipe:
    """A tagger on LSTM units; `direction` says what it hears: the words to the left, to the right, or both.

    One unit of 37 numbers, or two of 24: 8,900 weights either way, within one part in a hundred.
    """

    direction: Literal["left", "right", "both"] = "both"
    D: Positive = 16
    batch: Positive = 64
    steps: Positive = 400
    learning_rate: PositiveFloat = 1e-2
    seed: Seed = 0
    fast: bool = True

    def build(self) -> Tagger:
        """The tagger before it has heard a number."""
        generator = torch.Generator().manual_seed(self.seed)
        H = 24 if self.direction == "both" else 37
        ahead = None if self.direction == "right" else LSTM(self.D, H, forget_bias=0.0, generator=generator)
        back = None if self.direction == "left" else LSTM(self.D, H, forget_bias=0.0, generator=generator)
        model = Tagger(len(ENGLISH), Bidirectional(ahead, back), (places.LONGEST, places.LONGEST), generator)
        return fast(model) if self.fast else model

    def train(self) -> tuple[Tagger, History]:
        """Train from the start; about ten seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            self.cost,
            places.batches(
                places.encode(places.numbers("train")), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
            ),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            label=f"placing digits, {self.direction}",
        )
        return model, history

    def cost(self, model: Tagger, batch: places.Spoken) -> torch.Tensor:
        """The surprise at both answers together."""
        place, column = model(batch.tokens, batch.mask)
        return places.cost(place, batch.place, batch.asked) + places.cost(column, batch.column, batch.asked)

    @torch.no_grad()
    def measure(self, model: Tagger, part: str = "test") -> dict[str, float]:
        """The share of right answers to each question, on the numbers of one part."""
        spoken = places.encode(places.numbers(part))
        answers = {"place": spoken.place, "column": spoken.column}
        logits = model(spoken.tokens, spoken.mask)
        return {name: places.accuracy(said, answers[name], spoken) for name, said in zip(answers, logits, strict=True)}

    def load(self) -> Tagger:
        """The trained tagger that hears both ways, from the weights that came with the package."""
        expect(self.direction == "both", "direction", self.direction, "'both', whose weights come with the package")
        return load(WEIGHTS / "bidirectional.safetensors", self.build())


def recorded() -> dict[str, list[dict[str, float]]]:
    """What `export` measured on the test part: for each direction, both shares for each seed."""
    return read_record(WEIGHTS / "bidirectional.json")["test"]


def export() -> None:
    """Train the three readers with three seeds each and write what they reach, and one reader's weights."""
    torch.set_num_threads(1)
    began, found = time.process_time(), {}
    for direction in DIRECTIONS:
        found[direction] = []
        for seed in SEEDS:
            recipe = replace(PlacesRecipe(), direction=direction, seed=seed)
            model, _ = recipe.train()
            found[direction].append(recipe.measure(model))
            if (direction, seed) == ("both", 0):
                save(WEIGHTS / "bidirectional.safetensors", model, dtype=torch.float16)
    seconds = round((time.process_time() - began) / (len(DIRECTIONS) * len(SEEDS)))
    found = {"test": found, "seconds": seconds, "torch": torch.__version__}
    write_record(WEIGHTS / "bidirectional.json", found, indent=1)
