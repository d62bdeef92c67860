"""Look-up by every score and under every relation, and by dot products of any width."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.soft.scores import Lookup, Projected, Score
from attend.tasks import lookup
from attend.tasks.lookup import Relation, S, Table
from attend.train.fit import fit

Scorer = Literal["dot", "scaled_dot", "cosine", "bilinear", "additive", "constant", "location"]
SCORERS: tuple[str, ...] = get_args(Scorer)
"""The six scores; "constant" is the additive one whose query has one more number, always 1."""
Start = Literal["dot", "small", "scaled_dot"]
"""Dot products of projections of unit variance; the same of smaller projections, so that they begin with unit
variance; and divided by the root of the width."""
TUNED_ON = (100,)
HIDDEN = 32
"""Hidden units of the additive score."""
WIDTHS = (16, 1024)
RATES = (3e-3, 1e-2, 3e-2)
WIDTH_RATES = (1e-3, 3e-3, 1e-2)
PACE: dict[str, dict[str, float]] = {
    "alike": {
        "dot": 0.003,
        "scaled_dot": 0.01,
        "cosine": 0.003,
        "bilinear": 0.003,
        "additive": 0.03,
        "constant": 0.03,
        "location": 0.003,
    },
    "turned": {
        "dot": 0.01,
        "scaled_dot": 0.03,
        "cosine": 0.03,
        "bilinear": 0.003,
        "additive": 0.03,
        "constant": 0.01,
        "location": 0.03,
    },
    "nearest": {
        "dot": 0.003,
        "scaled_dot": 0.003,
        "cosine": 0.01,
        "bilinear": 0.003,
        "additive": 0.03,
        "constant": 0.03,
        "location": 0.01,
    },
    "place": {
        "dot": 0.03,
        "scaled_dot": 0.03,
        "cosine": 0.01,
        "bilinear": 0.01,
        "additive": 0.003,
        "constant": 0.003,
        "location": 0.003,
    },
}
"""Adam's rate by relation and score: the best of RATES on the seed of TUNED_ON, after 500 steps (`tune`)."""
WIDTH_PACE: dict[int, dict[str, float]] = {
    16: {"dot": 3e-3, "small": 1e-2, "scaled_dot": 3e-3},
    1024: {"dot": 1e-3, "small": 1e-3, "scaled_dot": 1e-3},
}
"""The same by width, the best of WIDTH_RATES."""


def batches(relation: str, seed: int) -> Iterator[Table]:
    """Endless tables, seeded apart from those that judge."""
    generator = torch.Generator().manual_seed(1_000 + seed)
    while True:
        yield lookup.sample(relation, 64, generator)


def train(model: Lookup, relation: str, seed: int, steps: int, rate: float, callbacks=()) -> Lookup:
    """Adam on tables of `relation`; returns the model."""
    fit(
        model,
        lambda model, batch: cross_entropy(model(batch.query, batch.keys, batch.labels)[0], batch.answer),
        batches(relation, seed),
        steps=steps,
        optimiser=torch.optim.Adam(model.parameters(), lr=rate),
        callbacks=callbacks,
        label=f"look-up, {relation}, seed {seed}",
    )
    return model


@checked
@torch.no_grad()
def accuracy(model: Lookup, relation: Relation, seed: NonNegative) -> float:
    """The share of right answers on 4,000 new tables."""
    query, keys, labels, answer = lookup.sample(relation, 4_000, torch.Generator().manual_seed(2_000 + seed))
    return (model(query, keys, labels)[0].argmax(dim=1) == answer).float().mean().item()


@recipe
class LookupRecipe:
    """One score under one relation of `attend.tasks.lookup`."""

    score: Scorer = "bilinear"
    relation: Relation = "turned"
    seed: NonNegative = 0
    steps: Positive = 800
    rate: PositiveFloat | None = None

    def build(self) -> Lookup:
        """The model before training."""
        torch.manual_seed(self.seed)
        D, constant = lookup.width(self.relation), self.score == "constant"
        score = Score("additive" if constant else self.score, D + constant, D, HIDDEN, S)
        return Lookup(score, S, constant)

    def train(self) -> Lookup:
        """Train from the start."""
        rate = self.rate or PACE[self.relation][self.score]
        return train(self.build(), self.relation, self.seed, self.steps, rate)

    def accuracy(self, model: Lookup) -> float:
        """The share of right answers on new tables."""
        return accuracy(model, self.relation, self.seed)


@recipe
class WidthRecipe:
    """The relation "turned", by dot products of projections to `width` numbers."""

    start: Start = "scaled_dot"
    width: Positive = 1024
    seed: NonNegative = 0
    steps: Positive = 500
    rate: PositiveFloat | None = None

    def build(self) -> Lookup:
        """The model before training."""
        torch.manual_seed(self.seed)
        D = lookup.width("turned")
        score = Projected(D, D, self.width, scaled=self.start == "scaled_dot")
        if self.start == "small":
            for weight in score.parameters():
                weight.data /= self.width**0.25
        return Lookup(score, S)

    def train(self) -> Lookup:
        """Train from the start."""
        rate = self.rate or WIDTH_PACE[self.width][self.start]
        return train(self.build(), "turned", self.seed, self.steps, rate)

    def accuracy(self, model: Lookup) -> float:
        """The share of right answers on new tables."""
        return accuracy(model, "turned", self.seed)


def tune() -> None:
    """Print how every score does with every rate, on the seed of TUNED_ON."""
    (seed,) = TUNED_ON
    for relation in lookup.RELATIONS:
        for score in SCORERS:
            runs = {rate: LookupRecipe(score, relation, seed, steps=500, rate=rate) for rate in RATES}
            print(relation, score, {rate: f"{one.accuracy(one.train()):.3f}" for rate, one in runs.items()}, flush=True)
    for width in WIDTHS:
        for start in get_args(Start):
            runs = {rate: WidthRecipe(start, width, seed, rate=rate) for rate in WIDTH_RATES}
            print(width, start, {rate: f"{one.accuracy(one.train()):.3f}" for rate, one in runs.items()}, flush=True)
