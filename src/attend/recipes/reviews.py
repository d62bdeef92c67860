"""Positive or negative: film reviews with one label a sequence."""

import torch

from attend.core.expect import recipe
from attend.core.types import DropRate, NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.memory.supervision import SequenceClassifier
from attend.recipes import WEIGHTS
from attend.tasks import reviews
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/reviews.*",)
TUNED_ON = (100,)
"""The seed by which the learning rate was chosen (`tune`)."""


@recipe
class ReviewsRecipe:
    """The classifier: V words of width D, H hidden units, and its budget. Ten passes over 6,744 reviews.

    In training each word is replaced by "unknown" with probability `hide`.
    """

    V: Positive = 3_000
    D: Positive = 16
    H: Positive = 32
    hide: DropRate = 0.5
    batch: Positive = 64
    steps: Positive = 1_060
    learning_rate: PositiveFloat = 1e-2
    seed: NonNegative = 0
    fast: bool = True

    def build(self) -> SequenceClassifier:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        model = SequenceClassifier(self.V, self.D, self.H)
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
            lambda model, batch: reviews.cost(model(batch.tokens, batch.mask), batch.kind),
            reviews.batches(self.words(), self.batch, self.hide, generator),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, self.learning_rate, total_steps=self.steps + 1),
            clip=1.0,
            label="reading reviews",
        )
        return model, history

    @torch.no_grad()
    def right(self, model: SequenceClassifier, part: str = "test") -> torch.Tensor:
        """Which of one part's reviews `model` gets right, (B)."""
        batch = reviews.whole(part, self.words())
        return (model(batch.tokens, batch.mask) > 0) == (batch.kind > 0.5)

    def load(self) -> SequenceClassifier:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "reviews.safetensors", self.build())


def export() -> None:
    """Train the recipe and write its weights."""
    save(WEIGHTS / "reviews.safetensors", ReviewsRecipe().train()[0], dtype=torch.float16)


def tune() -> None:
    """Print the share of validation reviews that are right, for three learning rates."""
    for rate in (1e-3, 3e-3, 1e-2):
        recipes = [ReviewsRecipe(learning_rate=rate, seed=seed) for seed in TUNED_ON]
        right = [recipe.right(recipe.train()[0], "validation").double().mean().item() for recipe in recipes]
        print(f"{rate:g}: {sum(right) / len(right):.4f}", flush=True)
