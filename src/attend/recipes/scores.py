"""Look-up by every score and under every relation, and by scores that are too far apart."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch.nn.functional import mse_loss, one_hot

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.soft.scores import Lookup, Score
from attend.tasks import lookup
from attend.tasks.lookup import Relation, S, Table
from attend.train.fit import fit

Scorer = Literal["dot", "cosine", "bilinear", "additive", "constant", "location"]
SCORERS: tuple[str, ...] = get_args(Scorer)
"""The scores; "constant" is the additive one whose query has one more number, always 1."""
TUNED_ON = (100,)
HIDDEN = 32
"""Hidden units of the additive score."""
RATES = (3e-3, 1e-2, 3e-2)
PACE: dict[str, dict[str, float]] = {
    "alike": {"dot": 0.003, "cosine": 0.003, "bilinear": 0.003, "additive": 0.003, "constant": 0.003, "location": 0.01},
    "shifted": {"dot": 0.003, "cosine": 0.003, "bilinear": 0.01, "additive": 0.01, "constant": 0.003, "location": 0.01},
    "nearest": {"dot": 0.003, "cosine": 0.003, "bilinear": 0.003, "additive": 0.03, "constant": 0.01, "location": 0.01},
    "place": {"dot": 0.003, "cosine": 0.003, "bilinear": 0.03, "additive": 0.03, "constant": 0.03, "location": 0.003},
}
"""Adam's rate by relation and score: the best of RATES on the seed of TUNED_ON (`tune`)."""
FACTORS = (1.0, 32.0, 256.0, 2048.0)
"""By what scores of variance 1 are multiplied before the softmax."""
FACTOR_RATES = (3e-4, 3e-3, 3e-2)
FACTOR_PACE = {1.0: 3e-3, 32.0: 3e-3, 256.0: 3e-3, 2048.0: 3e-2}
"""Adam's rate by factor: the best of FACTOR_RATES, likewise."""


def batches(relation: str, seed: int) -> Iterator[Table]:
    """Endless tables, seeded apart from those that judge."""
    generator = torch.Generator().manual_seed(1_000 + seed)
    while True:
        yield lookup.sample(relation, 64, generator)


def train(model: Lookup, relation: str, seed: int, steps: int, rate: float) -> Lookup:
    """Adam on tables of `relation`; returns the model. What has nothing to learn stays as it is."""
    if not list(model.parameters()):
        return model
    fit(
        model,
        lambda model, batch: mse_loss(
            model(batch.query, batch.keys, batch.labels)[0], one_hot(batch.answer, model.labels).float()
        ),
        batches(relation, seed),
        steps=steps,
        optimiser=torch.optim.Adam(model.parameters(), lr=rate),
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
    relation: Relation = "shifted"
    seed: NonNegative = 0
    steps: Positive = 300
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
class FactorRecipe:
    """The relation "shifted", by a bilinear score whose scores are multiplied by `factor` before the softmax."""

    factor: PositiveFloat = 1.0
    seed: NonNegative = 0
    steps: Positive = 300
    rate: PositiveFloat | None = None

    def build(self) -> Lookup:
        """The model before training."""
        torch.manual_seed(self.seed)
        D = lookup.width("shifted")
        return Lookup(Score("bilinear", D, D), S, temperature=1 / self.factor)

    def train(self) -> Lookup:
        """Train from the start."""
        return train(self.build(), "shifted", self.seed, self.steps, self.rate or FACTOR_PACE[self.factor])

    def accuracy(self, model: Lookup) -> float:
        """The share of right answers on new tables."""
        return accuracy(model, "shifted", self.seed)


def tune() -> None:
    """Print how every score and every factor does with every rate, on the seed of TUNED_ON."""
    (seed,) = TUNED_ON
    for relation in lookup.RELATIONS:
        for score in SCORERS:
            runs = {rate: LookupRecipe(score, relation, seed, rate=rate) for rate in RATES}
            print(
                relation, score, {rate: round(one.accuracy(one.train()), 3) for rate, one in runs.items()}, flush=True
            )
    for factor in FACTORS:
        runs = {rate: FactorRecipe(factor, seed, rate=rate) for rate in FACTOR_RATES}
        print(factor, {rate: round(one.accuracy(one.train()), 3) for rate, one in runs.items()}, flush=True)
