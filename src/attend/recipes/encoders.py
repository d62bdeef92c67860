"""Translators of numbers of up to 12 words over different encoders, of different widths, from few or many pairs."""

from typing import Literal

import torch

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes.translation import GROUPS, SHORT, TUNED_ON, alike, judging, words
from attend.soft.decode import greedy
from attend.soft.translation import FixedContext, OneDirection, Translator, WordVectors
from attend.tasks import pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.fit import fit
from attend.train.schedule import one_cycle

Encoder = Literal["attention", "fixed", "one direction", "words"]
ENCODERS: dict[str, type[Translator]] = {
    "attention": Translator,
    "fixed": FixedContext,
    "one direction": OneDirection,
    "words": WordVectors,
}
"""What ShortRecipe trains: attention over a bidirectional encoder, over one direction, over words alone; or none."""

SHORT_GRID = (8e-3, 1.6e-2, 3.2e-2)
SHORT_RATE: dict[tuple[str, int, int], float] = {
    ("attention", 12, 5_086): 3.2e-2,
    ("attention", 24, 5_086): 1.6e-2,
    ("attention", 48, 5_086): 1.6e-2,
    ("attention", 48, 1_200): 1.6e-2,
    ("attention", 48, 300): 8e-3,
    ("fixed", 12, 5_086): 3.2e-2,
    ("fixed", 24, 5_086): 1.6e-2,
    ("fixed", 48, 5_086): 1.6e-2,
    ("fixed", 48, 1_200): 1.6e-2,
    ("fixed", 48, 300): 8e-3,
    ("one direction", 46, 5_086): 8e-3,
    ("words", 52, 5_086): 3.2e-2,
}
"""Adam's largest rate by kind, width and training pairs: the best of SHORT_GRID on the validation part and the seed of

TUNED_ON (`tune`)."""


@recipe
class ShortRecipe:
    """A translator of numbers of up to SHORT words, of one of ENCODERS and with H hidden units.

    `most` keeps so many training pairs, drawn at random; by default all of them. Sources of every length come equally
    often.
    """

    kind: Encoder = "attention"
    H: Positive = 48
    most: Positive = 5_086
    seed: Seed = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> Translator:
        """The model at initialisation, its embeddings 24 wide."""
        sizes = len(translation.ENGLISH), len(translation.GERMAN), 24, self.H
        return fast(ENCODERS[self.kind](*sizes, translation.END, seeded(self.seed)))

    def pairs(self) -> Pairs:
        """The training pairs."""
        everything = translation.encode(tuple(n for n in translation.sparse("train") if words(n) <= SHORT))
        kept = torch.randperm(len(everything.source), generator=seeded(2_000 + self.seed))[: self.most]
        return pairs.cropped(Pairs(*(column[kept] for column in everything)))

    def train(self, callbacks=()) -> Translator:
        """Train from the start, 5 to 10 seconds of one processor for 400 steps."""
        stream = alike(self.pairs(), 64, seeded(1_000 + self.seed))
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or SHORT_RATE[self.kind, self.H, self.most])
        fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
            ),
            stream,
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.kind}, {self.H} units, {self.most} pairs",
        )
        return model


def seeded(seed: int) -> torch.Generator:
    """Draws of their own."""
    return torch.Generator().manual_seed(seed)


def exact_short(model: Translator, part: str = "test") -> list[float]:
    """The share of the numbers of `judging` translated without a mistake, for those of GROUPS of up to SHORT words."""
    inside = sum(high <= SHORT for _, high in GROUPS)
    asked = translation.encode(tuple(n for n in judging(part) if words(n) <= SHORT))
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    right = pairs.exact(written, asked.target, asked.asked).double()
    return right.view(inside, -1).mean(dim=1).tolist()


def tune() -> None:
    """Print the shares of validation numbers without a mistake for each of SHORT_RATE and each rate of SHORT_GRID."""
    for kind, H, most in SHORT_RATE:
        for rate in SHORT_GRID:
            one = ShortRecipe(kind, H, most, TUNED_ON[0], rate=rate)
            shares = exact_short(one.train(), "validation")
            print(kind, H, most, rate, [round(x, 2) for x in shares], f"{sum(shares) / len(shares):.3f}", flush=True)


if __name__ == "__main__":
    tune()
