"""Lists in lists, evaluated by a tree, by a tree with one forget gate for all children, and by a chain."""

import random
from functools import cache
from typing import Literal, get_args

import torch
from torch import Tensor

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.tree_lstm import ChainTagger, TreeLSTM, TreeTagger
from attend.tasks import listops
from attend.train.fit import fit
from attend.train.schedule import one_cycle

Reader = Literal["tree", "one_gate", "chain"]
READERS: tuple[str, ...] = get_args(Reader)
DEEPEST = 2
"""How deep the lists of training lie in each other."""
GRID = (5e-3, 1e-2, 2e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = {"tree": 2e-2, "one_gate": 2e-2, "chain": 2e-2}
"""Adam's rate: the best of GRID on validation lists with the seed of TUNED_ON (`tune`)."""


class OneGate(TreeLSTM):
    """The same layer with one forget gate for all children, from the sum of their hidden states."""

    def step(self, x: Tensor, children: tuple[Tensor, Tensor], parent: Tensor) -> tuple[Tensor, Tensor]:
        """The states of N nodes: an LSTM's step from the sums of h and of c over the children."""
        h, c = (torch.zeros(len(x), self.hidden_size).index_add(0, parent, part) for part in children)
        i, f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def reader(kind: str, seed: int) -> TreeTagger | ChainTagger:
    """A tree or a chain at initialisation: embeddings of 16 numbers, 32 cells, ten answers."""
    made = ChainTagger if kind == "chain" else TreeTagger
    model = made(listops.V, 16, 32, 10, torch.Generator().manual_seed(seed))
    if kind == "one_gate":
        model.tree_lstm.__class__ = OneGate
    return fast(model)


@recipe
class ListsRecipe:
    """Lists in lists, MAX and MIN of digits: 6,826 weights a side, an answer at every list.

    Trained on 4,000 lists of one or two levels; the chain gets the answer at each closing bracket, the tree at each
    node. The chain takes twice the steps.
    """

    reader: Reader = "tree"
    seed: NonNegative = 0
    rate: PositiveFloat | None = None

    @property
    def steps(self) -> int:
        """How many batches of 64 lists it learns from."""
        return 600 if self.reader == "chain" else 300

    def build(self) -> TreeTagger | ChainTagger:
        """The model at initialisation."""
        return reader(self.reader, self.seed)

    def cost(self, model: TreeTagger | ChainTagger, lists: list) -> Tensor:
        """The negative log-likelihood of the value of every list."""
        if self.reader == "chain":
            lines = listops.lines(lists)
            return listops.cost(model(lines.tokens, lines.mask)[lines.asked], lines.value[lines.asked])
        trees = listops.forest(lists)
        inner = trees.tokens >= 10
        return listops.cost(model(trees.tokens, trees.parent)[inner], trees.value[inner])

    def train(self, callbacks=()) -> TreeTagger | ChainTagger:
        """Train from the start."""
        draws, lists = random.Random(self.seed), _lists("train", 4_000, DEEPEST)
        batches = iter(lambda: draws.sample(lists, 64), None)
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.reader])
        schedule = one_cycle(optimiser, self.steps)
        fit(
            model,
            self.cost,
            batches,
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            callbacks=callbacks,
            label=f"lists, {self.reader}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def right(self, model: TreeTagger | ChainTagger, lists: list) -> float:
        """The share of whole lists that come out right."""
        if self.reader == "chain":
            lines = listops.lines(lists)
            last = torch.arange(len(lists)), lines.mask.sum(1) - 1
            return (model(*lines[:2]).argmax(-1) == lines.value)[last].double().mean().item()
        trees = listops.forest(lists)
        right = model(trees.tokens, trees.parent).argmax(-1) == trees.value
        return right[trees.parent == -1].double().mean().item()


@cache
def _lists(part: str, count: int, deepest: int, shallowest: int = 1) -> list:
    draws = torch.Generator().manual_seed(1 + deepest)
    return listops.draw(count, part, draws, deepest, shallowest=shallowest, operations=("MAX", "MIN"), most_parts=3)


@checked
def lists_of_depth(depth: Positive, part: str = "test", count: Positive = 400) -> list:
    """Lists of exactly this depth, the same every time."""
    return _lists(part, count, depth, depth)


def tune() -> None:
    """Print how every model does on validation lists with every rate of GRID, on the seed of TUNED_ON."""
    for kind in READERS:
        for rate in GRID:
            one = ListsRecipe(kind, TUNED_ON[0], rate)
            print(f"{kind}, {rate:g}: {one.right(one.train(), lists_of_depth(2, 'validation')):.4f}", flush=True)
