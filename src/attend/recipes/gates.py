"""What is in the locker? Gates, attention, attention with forget gates, and linear attention on one task."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.gru import GRU, chrono_
from attend.recipes.many_to_one import ManyToOne
from attend.tasks import lockers
from attend.train.fit import fit
from attend.transformers.gates import GatedAttention, LinearAttention

Kind = Literal["gru", "attention", "forget", "linear"]
KINDS: tuple[str, ...] = get_args(Kind)
"""A GRU with chrono initialisation; attention, without and with a forget gate; linear attention. One head each."""
GRID = (3e-3, 1e-2, 3e-2)
TUNED_ON = (100, 101)
TASKS: dict[str, dict] = {
    "known": {"known": True, "steps": 500},
    "last": {"steps": 500},
    "again": {"lockers": 4, "again": True},
    "long": {"length": 16, "lockers": 16, "mixed": True},
}
"""Settings of a recipe. Eight of twelve lockers, asked last or known before; four used again; 1 to 16 of 16."""
RATE: dict[tuple[str, str, int], float] = {
    ("known", "gru", 64): 1e-2,
    ("last", "gru", 64): 3e-3,
    ("last", "attention", 16): 1e-2,
    ("again", "gru", 64): 3e-2,
    ("again", "attention", 16): 1e-2,
    ("again", "forget", 16): 1e-2,
    ("long", "gru", 64): 3e-3,
    ("long", "attention", 8): 1e-2,
    ("long", "linear", 8): 1e-2,
    ("long", "linear", 16): 3e-2,
}
"""Adam's rate by task, kind and width: the best of GRID on the seeds of TUNED_ON (`tune`); of equals the middle one."""


@recipe
class LockersRecipe:
    """A layer of `width` units and a linear head; lists of `length` of so many `lockers`, as in attend.tasks.lockers.

    `mixed`: of 1 to `length`, all equally likely; a batch has lists of one length.
    """

    kind: Kind = "attention"
    width: Positive = 16
    length: Positive = 8
    lockers: Positive = 12
    again: bool = False
    known: bool = False
    mixed: bool = False
    seed: NonNegative = 0
    steps: Positive = 1_000
    rate: PositiveFloat = 1e-2

    def build(self) -> ManyToOne:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        D, H = self.lockers + lockers.THINGS, self.width
        if self.kind == "gru":
            layer = chrono_(GRU(D, H), 2.0 * self.length)
        elif self.kind == "linear":
            layer = LinearAttention(D, H)
        else:
            layer = GatedAttention(D, H, forget=self.kind == "forget")
        return fast(ManyToOne(layer, lockers.THINGS))

    def sample(self, batch: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """New lists of this length, and the answers."""
        return lockers.sample(batch, length, self.lockers, again=self.again, known=self.known, generator=generator)

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless lists, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            length = int(torch.randint(1, self.length + 1, (), generator=generator)) if self.mixed else self.length
            yield self.sample(64, length, generator)

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate),
            clip=1.0,
            callbacks=callbacks,
            label=f"lockers, {self.kind}, {self.width} units, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def accuracy(self, model: ManyToOne, length: Positive | None = None) -> float:
        """The share of right answers on 2,000 new lists, of this length or of the training's."""
        x, answer = self.sample(2_000, length or self.length, torch.Generator().manual_seed(2_000 + self.seed))
        return (model(x).argmax(dim=1) == answer).double().mean().item()


def tune(tasks: tuple[str, ...] = tuple(TASKS)) -> None:
    """Print the share of right answers on the longest lists of the training, for each rate of GRID and seed."""
    for task, kind, width in RATE:
        for rate in GRID if task in tasks else ():
            recipes = [LockersRecipe(kind, width, **TASKS[task], rate=rate, seed=seed) for seed in TUNED_ON]
            found = [recipe.accuracy(recipe.train()) for recipe in recipes]
            print(f"{task}, {kind} {width}, {rate:g}: {sum(found) / len(found):.4f}", found, flush=True)
