"""Kind or unkind: a reader of film reviews, taught with one label a sequence."""

from typing import Literal

import torch

from attend.core.expect import recipe
from attend.core.types import DropRate, NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.supervision import SequenceClassifier
from attend.recipes import WEIGHTS
from attend.tasks import reviews
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/reviews.*",)


@recipe
class ReviewsRecipe:
    """The reader of reviews: V words of width D, H hidden units, and its budget. Ten passes over 6,744 reviews."""

    V: Positive = 3_000
    D: Positive = 16
    H: Positive = 32
    pooling: Literal["mean", "last"] = "mean"
    radius: NonNegativeFloat = 0.5
    hide: DropRate = 0.5
    batch: Positive = 64
    steps: Positive = 1_060
    learning_rate: PositiveFloat = 3e-3
    seed: Seed = 0
    fast: bool = True

    def build(self) -> SequenceClassifier:
        """The model before it has read a review."""
        generator = torch.Generator().manual_seed(self.seed)
        model = SequenceClassifier(self.V, self.D, self.H, self.pooling, self.radius, generator)
        return fast(model) if self.fast else model

    def words(self) -> tuple[str, ...]:
        """The vocabulary, whose places are the model's tokens."""
        return reviews.vocabulary(self.V)

    def train(self) -> tuple[SequenceClassifier, History]:
        """Train from the start; about eight seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        history = fit(
            model,
            lambda model, batch: reviews.cost(model(batch.tokens, batch.mask).logit, batch.kind),
            reviews.batches(self.words(), self.batch, self.hide, generator),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, self.learning_rate, total_steps=self.steps + 1),
            clip=1.0,
            label="reading reviews",
        )
        return model, history

    @torch.no_grad()
    def measure(self, model: SequenceClassifier, part: str = "test") -> float:
        """The share of one part's reviews that `model` gets right."""
        batch = reviews.whole(part, self.words())
        return reviews.accuracy(model(batch.tokens, batch.mask).logit, batch.kind)

    def load(self) -> SequenceClassifier:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "reviews.safetensors", self.build())


def export() -> None:
    """Train the recipe and write its weights."""
    save(WEIGHTS / "reviews.safetensors", ReviewsRecipe().train()[0], dtype=torch.float16)
