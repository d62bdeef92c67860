"""Repeat copy, associative recall and priority sort, by an NTM whose write head begins by walking, and by its rivals.

The rows are those of `attend.tasks.tape`, with digits in the place of the paper's bits.
"""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.recipes.ntm import build
from attend.soft.ntm import NTM
from attend.tasks import tape
from attend.tasks.tape import Task
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

Kind = Literal["walking", "plain", "content", "location", "lstm", "transformer"]
"""The page's model with a write head that begins by walking, and as it is; addressing by content or location alone, a
write head that walks where it can; an LSTM and a Transformer without a tape."""
KINDS: tuple[str, ...] = get_args(Kind)
SLOTS, ROWS = 40, 16
"""Slots in training, and at least in tests; rows a step."""
LENGTHS = {"repeat": (1, 4), "recall": (2, 5), "sort": (2, 5)}
"""Shortest and longest rows of training; in recall, items."""
PUSH = {"repeat": 3.0, "recall": 5.0, "sort": 3.0}
"""How much is added to, and taken from, the two numbers that make a write head walk."""
STEPS = {"repeat": 1_200, "recall": 600, "sort": 1_000}
LONGER = {"repeat": 2, "recall": 3, "sort": 2}
"""Models without a tape, whose steps are cheaper, get so many times as many."""
TUNED_ON = (100,)
GRIDS = {"lstm": (1e-3, 3e-3, 1e-2, 3e-2, 6e-2), "transformer": (1e-3, 3e-3, 1e-2)}
GRID = (5e-3, 1e-2, 2e-2)
"""Adam's largest rates, by kind; that of the most exact answers was kept, then that of the lowest loss."""
RATE: dict[str, dict[str, float]] = {
    "recall": dict.fromkeys(KINDS, 1e-2) | {"walking": 5e-3},
    "repeat": dict.fromkeys(KINDS, 1e-2) | {"lstm": 3e-2},
    "sort": dict.fromkeys(KINDS, 1e-2),
}


def walking(model: NTM, by: float) -> NTM:
    """The model, its write head begun anew: it keeps to where it was (gate) and goes one slot ahead (shift)."""
    with torch.no_grad():
        bias = model.write_head.linear.bias
        bias[model.width + 1] -= by
        bias[model.width + 4] += by
    return model


def new(kind: Kind, task: Task, seed: int) -> nn.Module:
    """A model at initialisation."""
    if kind in ("lstm", "transformer"):
        return build(kind, task, seed)
    if kind == "plain":
        return build("ntm", task, seed)
    return walking(build("ntm" if kind == "walking" else kind, task, seed), PUSH[task])


def batches(task: Task, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Rows of training without end; all rows of a batch have the same length, which is drawn."""
    generator = torch.Generator().manual_seed(1_000 + seed)
    shortest, longest = LENGTHS[task]
    while True:
        length = int(torch.randint(shortest, longest + 1, (), generator=generator))
        yield tape.sample(task, ROWS, length, generator)


@recipe
class TaskRecipe:
    """One kind of model on one task, with a rate that rises and falls to zero."""

    kind: Kind = "walking"
    task: Task = "recall"
    seed: Seed = 0
    steps: Positive | None = None
    rate: PositiveFloat | None = None

    def train(self) -> tuple[nn.Module, History]:
        """Train from the start."""
        model, steps = new(self.kind, self.task, self.seed), self.steps or STEPS[self.task]
        if self.kind in ("lstm", "transformer") and not self.steps:
            steps *= LONGER[self.task]
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.task][self.kind])

        def cost(model, batch):
            x, answer = batch
            logits = model(x, SLOTS)[0][:, -answer.shape[1] :]
            return F.cross_entropy(logits.flatten(0, 1), answer.flatten())

        history = fit(
            model,
            cost,
            batches(self.task, self.seed),
            steps=steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, steps),
            clip=1.0,
            label=f"{self.kind}, {self.task}, seed {self.seed}",
        )
        return model.eval(), history


@torch.no_grad()
def exact(model: nn.Module, task: Task, length: int, seed: int, rows: int = 20) -> float:
    """The share of fresh rows of one length that are answered without a mistake.

    Ten batches, each with as many repeats as it draws; twice as many slots as steps, so that no head comes round.
    """
    right = []
    for batch in range(10):
        x, answer = tape.sample(task, rows, length, torch.Generator().manual_seed(10_000 * seed + batch))
        said = model(x, max(SLOTS, 2 * x.shape[1]))[0][:, -answer.shape[1] :].argmax(2)
        right.append((said == answer).all(1).double().mean().item())
    return sum(right) / len(right)


def tune(kinds: tuple[Kind, ...] = KINDS, task: Task = "recall", lengths: tuple[int, ...] = (5, 20, 50)) -> None:
    """Print the share of exact answers on fresh rows."""
    for kind in kinds:
        for rate in GRIDS.get(kind, GRID):
            for seed in TUNED_ON:
                model, history = TaskRecipe(kind, task, seed, rate=rate).train()
                found = " ".join(f"{exact(model, task, length, seed):.2f}" for length in lengths)
                print(
                    f"{task} {kind:12} {rate:g} {seed}: {found}, loss {sum(history.losses[-50:]) / 50:.4f}", flush=True
                )
