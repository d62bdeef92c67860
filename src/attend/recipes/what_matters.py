"""Which parts of a Transformer matter: one small translator of numbers, changed in one thing at a time.

All rows of the table have the same data, steps and learning rate; some are trained again with a rate of their own.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.fit import fit
from attend.train.schedule import one_cycle
from attend.transformers.ablated import AblatedTranslator

DIGITS, MOST = 6, {"train": 200, "validation": 1_000, "test": 2_500}
"""Numbers of up to so many digits; so many are drawn of each length above three, before they are shared out."""
BASE: dict[str, Any] = {
    "d_model": 32,
    "num_heads": 4,
    "d_key": 8,
    "d_ff": 128,
    "num_layers": 2,
    "dropout": 0.1,
    "positions": "sinusoids",
    "residual": True,
    "smoothing": 0.1,
}
ROWS: dict[str, dict[str, Any]] = {
    "base": {},
    "1 head": {"num_heads": 1, "d_key": 32},
    "16 heads": {"num_heads": 16, "d_key": 2},
    "keys of 2": {"d_key": 2},
    "1 block": {"num_layers": 1},
    "half the width": {"d_model": 16, "d_key": 4},
    "a quarter of F": {"d_ff": 32},
    "no dropout": {"dropout": 0.0},
    "no smoothing": {"smoothing": 0.0},
    "learned positions": {"positions": "learned"},
    "no positions": {"positions": "none"},
    "no residuals": {"residual": False},
}
"""What is changed in the base, by the name of the row."""
TUNED_ON = tuple(range(100, 106))
"""The rates were chosen with the first two of these seeds; from all six comes the spread of the base's runs."""
RATES = (2.5e-3, 5e-3, 1e-2, 2e-2)
"""Adam's largest learning rates that were tried, on validation numbers (`tune`)."""
RATE = 1e-2
"""The best of them for the base; all rows have it."""
OWN_RATE = {"half the width": 2e-2, "no residuals": 2.5e-3}
"""The best of them for two other rows."""
SPREAD = 1.2
"""The standard deviation of the base's mistakes on validation numbers, in points, over the seeds of TUNED_ON."""


@recipe
class AblationRecipe:
    """One training of one row of the table; without `rate` with the base's."""

    row: str = "base"
    seed: Seed = 0
    steps: Positive = 300
    rate: PositiveFloat | None = None

    def __post_init__(self) -> None:
        expect(self.row in ROWS, "row", self.row, f"one of {', '.join(ROWS)}")

    def settings(self) -> dict[str, Any]:
        """Everything that a row may change."""
        return BASE | ROWS[self.row]

    def build(self) -> AblatedTranslator:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        settings = {name: value for name, value in self.settings().items() if name != "smoothing"}
        return AblatedTranslator(len(translation.ENGLISH), len(translation.GERMAN), end=translation.END, **settings)

    def batches(self) -> Iterator[Pairs]:
        """Endless batches of 32 pairs; of the same seed all rows get the same ones."""
        return pairs.batches(encoded("train"), 32, torch.Generator().manual_seed(self.seed))

    def train(self) -> AblatedTranslator:
        """Train from the start; the rate rises for a tenth of the steps and then falls to zero."""
        smoothing = self.settings()["smoothing"]

        def loss(model: AblatedTranslator, batch: Pairs) -> Tensor:
            logits = model(batch.source, batch.mask, batch.target)
            return cross_entropy(logits[batch.asked], batch.target[batch.asked], label_smoothing=smoothing)

        with torch.random.fork_rng(devices=[]):
            model = self.build()
            optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE)
            schedule = one_cycle(optimiser, self.steps)
            fit(
                model,
                loss,
                self.batches(),
                steps=self.steps,
                optimiser=optimiser,
                schedule=schedule,
                clip=1.0,
                label=f"{self.row}, seed {self.seed}",
            )
        return model


@cache
def encoded(part: str) -> Pairs:
    """The numbers of one part, as tokens."""
    return translation.encode(numbers.numbers(part, DIGITS, MOST[part]))


@torch.no_grad()
def measured(model: AblatedTranslator, part: str = "test") -> tuple[float, float]:
    """Per cent of the numbers with a mistake, and the cross-entropy of a token in nats.

    One pass with the true tokens given is enough for both: greedy writing makes its first mistake where the most
    probable token is first a wrong one, and up to there all tokens before were the true ones.
    """
    source, mask, target, asked = encoded(part)
    logits = model(source, mask, target)
    right = pairs.exact(logits.argmax(dim=2), target, asked)
    return 100 * (1 - right.double().mean().item()), pairs.cost(logits, target, asked).item()


def parameters(row: str) -> int:
    """How many parameters the model of a row learns."""
    return sum(p.numel() for p in AblationRecipe(row).build().parameters() if p.requires_grad)


def tune(rows: tuple[str, ...] = ("base", "half the width", "no residuals")) -> None:
    """Print mistakes and cross-entropy on validation numbers, for every rate of RATES."""
    for row in rows:
        for rate in RATES:
            found = [measured(AblationRecipe(row, seed, rate=rate).train(), "validation") for seed in TUNED_ON[:2]]
            print(row, rate, *(f"{mistakes:.1f} % {nats:.4f}" for mistakes, nats in found), flush=True)
