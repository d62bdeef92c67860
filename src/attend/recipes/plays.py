"""The next character of a play: a language model of characters, with a label at every step."""

import math

import torch

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.memory.supervision import LanguageModel
from attend.recipes import WEIGHTS
from attend.tasks import plays
from attend.train.characters import train_reading_on
from attend.train.checkpoint import load, save
from attend.train.fit import History
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/plays*.safetensors",)
SHIPPED = (0, 10, 11, 12, 13, 14)
"""The seeds whose weights come with the package: 0 is shown on pages, the others judge."""
BURN_IN = 10
"""The first characters of each page that are read and not scored, so that every model has a past to lean on."""
TUNED_ON = (100,)
"""The seed by which the learning rates were chosen (`tune`)."""
RATE_OF_TEN = 1e-2
"""The best learning rate after all ten passes. The weights that come with the package have the one best after one."""


@recipe
class PlaysRecipe:
    """The language model: embeddings of width D, H hidden units, and its budget. Ten passes over 689,198 characters."""

    D: Positive = 24
    H: Positive = 128
    batch: Positive = 32
    T: Positive = 50
    steps: Positive = 4_300
    learning_rate: PositiveFloat = 2e-2
    seed: NonNegative = 0
    fast: bool = True

    def build(self) -> LanguageModel:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        model = LanguageModel(len(plays.ALPHABET), self.D, self.H)
        return fast(model) if self.fast else model

    def train(self) -> tuple[LanguageModel, History]:
        """Train from the start; about a minute on one thread. The hidden state is carried from batch to batch."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = one_cycle(optimiser, self.steps)
        history = train_reading_on(model, optimiser, steps=self.steps, B=self.batch, T=self.T, schedule=schedule)
        return model, history

    @torch.no_grad()
    def measure(self, model: LanguageModel, part: str = "test") -> float:
        """Bits per character of `model` on the pages of one part."""
        pages = plays.pages(part)
        logits, _ = model(pages[:, :-1])
        return plays.cost(logits[:, BURN_IN - 1 :], pages[:, BURN_IN:]).item() / math.log(2)

    def load(self) -> LanguageModel:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / f"plays_{self.seed}.safetensors", self.build())


def trained(seed: int) -> LanguageModel:
    """The model of this seed: from its weights, where they come with the package, else trained now."""
    recipe = PlaysRecipe(seed=seed)
    return recipe.load() if seed in SHIPPED else recipe.train()[0]


def export() -> None:
    """Train the recipe from every seed of SHIPPED and write the weights; six minutes."""
    for seed in SHIPPED:
        save(WEIGHTS / f"plays_{seed}.safetensors", PlaysRecipe(seed=seed).train()[0], dtype=torch.float16)


def tune() -> None:
    """Print the bits per character on the validation part after one pass and after ten, for four learning rates."""
    for steps in (430, 4_300):
        for rate in (2.5e-3, 5e-3, 1e-2, 2e-2):
            recipe = PlaysRecipe(steps=steps, learning_rate=rate, seed=TUNED_ON[0])
            found = recipe.measure(recipe.train()[0], "validation")
            print(f"{steps} steps, {rate:g}: {found:.3f} bits", flush=True)
