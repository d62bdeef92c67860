"""Transformers that differ in one thing, how they are told of positions, trained on n-back and on the plays."""

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.tasks import plays
from attend.train.fit import fit
from attend.train.schedule import one_cycle
from attend.transformers.positioned import POSITIONS, PositionedTransformer, Positions

TUNED_ON = (100, 101)
LETTERS = 10
T_BACK, T_PLAYS = 16, 32
"""The length of the rows that each is trained on."""
LONGER = 4
"""Tests go to rows so many times as long."""
RATES_BACK = (3e-3, 1e-2, 3e-2)
RATES_PLAYS = (3e-3, 6e-3, 1.2e-2, 2.4e-2)
"""Adam's learning rates that were tried for each kind, with the seeds of TUNED_ON, on rows of up to LONGER times T."""
RATE_BACK = dict.fromkeys(POSITIONS, 1e-2) | {"sinusoids": 3e-2, "alibi": 3e-2, "rope": 3e-3}
RATE_PLAYS = dict.fromkeys(POSITIONS, 1.2e-2) | {"learned": 2.4e-2, "sinusoids": 3e-3, "rope": 2.4e-2}
RATE_ORDER = {True: 3e-2, False: 3e-3}
"""The best of them for each kind; the last for two layers without positions, with and without a causal mask."""


@recipe
class BackRecipe:
    """n-back: trained on 64 rows of 16 letters a step to say at each letter which one stood `back` before it."""

    positions: Positions = "rope"
    seed: NonNegative = 0
    back: Positive = 3
    num_layers: Positive = 1
    causal: bool = True
    steps: Positive = 300
    rate: PositiveFloat | None = None

    def build(self) -> PositionedTransformer:
        """The model at its start."""
        torch.manual_seed(self.seed)
        return PositionedTransformer(
            LETTERS, num_layers=self.num_layers, positions=self.positions, context=T_BACK, causal=self.causal
        )

    def batches(self) -> Iterator[Tensor]:
        """Endless rows, the same for all kinds of one seed."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield torch.randint(LETTERS, (64, T_BACK), generator=generator)

    def train(self, callbacks=()) -> PositionedTransformer:
        """Train from the start."""
        model, rate = self.build(), self.rate or RATE_BACK[self.positions]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            lambda model, rows: cross_entropy(
                model(rows)[:, self.back :].flatten(0, 1), rows[:, : -self.back].flatten()
            ),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.back}-back, {self.positions}, seed {self.seed}",
        )
        return model.requires_grad_(False)


@checked
@torch.no_grad()
def by_position(
    model: PositionedTransformer, back: Positive, T: Positive, rows: Positive = 500, window: Positive | None = None
) -> Tensor:
    """The share of right answers at each position of new rows of T letters that has one, T - `back` numbers."""
    letters = torch.randint(LETTERS, (rows, T), generator=torch.Generator().manual_seed(1_000_000))
    return (model(letters, window)[:, back:].argmax(2) == letters[:, :-back]).double().mean(0)


@recipe
class PlaysRecipe:
    """A language model of two layers of width 48, trained on 32 windows of 32 characters a step."""

    positions: Positions = "alibi"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> PositionedTransformer:
        """The model at its start."""
        torch.manual_seed(self.seed)
        V = len(plays.ALPHABET)
        return PositionedTransformer(V, 48, 4, num_layers=2, positions=self.positions, context=T_PLAYS)

    def train(self) -> PositionedTransformer:
        """Train from the start."""
        model, rate = self.build(), self.rate or RATE_PLAYS[self.positions]
        optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
        fit(
            model,
            lambda model, window: plays.cost(model(window[:, :-1]), window[:, 1:]),
            plays.windows(32, T_PLAYS, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label=f"plays, {self.positions}, seed {self.seed}",
        )
        return model.requires_grad_(False)


@checked
@torch.no_grad()
def nats(
    model: PositionedTransformer, T: Positive, part: Literal["validation", "test"] = "test", windows: Positive = 300
) -> Tensor:
    """The cross-entropy of the next character at each of T positions, mean of windows that lie 200 apart."""
    text = plays.stream(part)
    rows = text[torch.arange(windows)[:, None] * 200 + torch.arange(T + 1)]
    logits = torch.cat([model(some[:, :-1]) for some in rows.split(100)])
    return cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none").double().mean(0)


def tune() -> None:
    """Print how every kind does with every rate on the seeds of TUNED_ON, at the greatest length that it can read."""
    for kind in POSITIONS:
        T = T_BACK * (1 if kind == "learned" else LONGER)
        for rate in RATES_BACK:
            found = [by_position(BackRecipe(kind, s, rate=rate).train(), 3, T, 200).mean().item() for s in TUNED_ON]
            print(f"3-back, {kind:10} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
    for causal in (True, False):
        for rate in RATES_BACK:
            recipes = [BackRecipe("none", s, 1, 2, causal, 600, rate) for s in TUNED_ON]
            found = [by_position(one.train(), 1, T_BACK, 200).mean().item() for one in recipes]
            print(
                f"1-back, two layers, masked {causal}, {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True
            )
    for kind in POSITIONS:
        T = T_PLAYS * (1 if kind == "learned" else LONGER)
        for rate in RATES_PLAYS:
            found = [nats(PlaysRecipe(kind, s, rate=rate).train(), T, "validation").mean().item() for s in TUNED_ON]
            print(f"plays, {kind:10} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
