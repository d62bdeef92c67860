"""The next letter of a play: a language model of letters, taught with one label a step."""

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.supervision import LanguageModel
from attend.recipes import WEIGHTS
from attend.tasks import plays
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/plays.*",)
BURN_IN = 10
"""The first characters of each page that are read and not scored, so that every model has a past to lean on."""


@recipe
class PlaysRecipe:
    """The language model: letters of width D, H hidden units, and its budget. Ten passes over 689,198 characters."""

    D: Positive = 24
    H: Positive = 128
    batch: Positive = 16
    T: Positive = 32
    steps: Positive = 13_460
    learning_rate: PositiveFloat = 5e-3
    seed: Seed = 0
    fast: bool = True

    def build(self) -> LanguageModel:
        """The model before it has read a letter."""
        model = LanguageModel(len(plays.ALPHABET), self.D, self.H, torch.Generator().manual_seed(self.seed))
        return fast(model) if self.fast else model

    def train(self) -> tuple[LanguageModel, History]:
        """Train from the start; about a minute on one thread. The hidden state is carried from batch to batch."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        carried = {}

        def loss(model: LanguageModel, batch: tuple[Tensor, Tensor, bool]) -> Tensor:
            letters, following, fresh = batch
            state = None if fresh else carried["state"]
            logits, state = model(letters, state)
            carried["state"] = state.detach()
            return plays.cost(logits, following)

        history = fit(
            model,
            loss,
            plays.batches(self.batch, self.T),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label="reading plays",
        )
        return model, history

    @torch.no_grad()
    def measure(self, model: LanguageModel, part: str = "test") -> float:
        """The perplexity a character of `model` on the pages of one part."""
        pages = plays.pages(part)
        logits, _ = model(pages[:, :-1])
        return plays.cost(logits[:, BURN_IN - 1 :], pages[:, BURN_IN:]).exp().item()

    def load(self) -> LanguageModel:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "plays.safetensors", self.build())


def export() -> None:
    """Train the recipe and write its weights."""
    save(WEIGHTS / "plays.safetensors", PlaysRecipe().train()[0], dtype=torch.float16)
