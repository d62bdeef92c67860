"""Trees beside lines: nested lists to evaluate, and what a Python expression gives."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from attend.core.expect import expect, recipe
from attend.core.types import Positive, Seed
from attend.fast import fast
from attend.gating.tree_lstm import ChainTagger, TreeTagger
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import expressions, listops
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/tree_lstm.json", "recipes/weights/lists_tree.safetensors")
SEEDS = (0, 1, 2)
READERS = ("tree", "chain")


@recipe
class _Recipe:
    """What both tasks share: one of READERS, taught by Adam with one rise and fall of its rate."""

    name: ClassVar[str]

    reader: Literal["tree", "chain"] = "tree"
    batch: Positive = 64
    D: Positive = 16
    seed: Seed = 0
    fast: bool = True

    def new(self, V: int, O: int) -> TreeTagger | ChainTagger:
        """The reader before training, for V tokens and O answers."""
        kind = TreeTagger if self.reader == "tree" else ChainTagger
        model = kind(V, self.D, self.budget[0], O, torch.Generator().manual_seed(self.seed))
        return fast(model) if self.fast else model

    def train(self) -> tuple[TreeTagger | ChainTagger, History]:
        """Train from the start."""
        (_, steps, rate), model = self.budget, self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        schedule, label = one_cycle(optimiser, steps), f"{self.name}, {self.reader}"
        history = fit(
            model, self.cost, self.batches(), steps=steps, optimiser=optimiser, schedule=schedule, clip=1.0, label=label
        )
        return model, history


@recipe
class ListsRecipe(_Recipe):
    """Nested lists, an answer at every list: at its node, or after its closing bracket.

    Both readers are trained on the same 8,000 lists. The chain has more weights, and steps enough to train for at
    least as many processor seconds as the tree.
    """

    name: ClassVar[str] = "lists"

    @property
    def budget(self) -> tuple[int, int, float]:
        """Width, steps and learning rate, chosen on the validation part; the chain's rate is the best of three."""
        return (48, 700, 1e-2) if self.reader == "tree" else (96, 900, 2e-2)

    def build(self) -> TreeTagger | ChainTagger:
        """The reader before it has seen a list."""
        return self.new(listops.V, 10)

    def batches(self) -> Iterator[list]:
        """Endless batches of training lists."""
        every, order = _lists("train", 8_000, seed=0), random.Random(self.seed)
        while True:
            yield order.sample(every, self.batch)

    def cost(self, model: TreeTagger | ChainTagger, batch: list) -> Tensor:
        """The surprise at the value of every list in `batch`."""
        if self.reader == "tree":
            trees = listops.forest(batch)
            lists = trees.tokens >= 10
            return listops.cost(model(trees.tokens, trees.parent)[lists], trees.value[lists])
        lines = listops.lines(batch)
        return listops.cost(model(lines.tokens, lines.mask)[lines.asked], lines.value[lines.asked])

    @torch.no_grad()
    def right(self, model: TreeTagger | ChainTagger, lists: list) -> Tensor:
        """Which whole lists come out right (B)."""
        if self.reader == "tree":
            trees = listops.forest(lists)
            root = trees.parent == -1
            return (model(trees.tokens, trees.parent).argmax(-1) == trees.value)[root]
        lines = listops.lines(lists)
        row, last = torch.arange(len(lists)), lines.mask.sum(1) - 1
        return (model(lines.tokens, lines.mask).argmax(-1) == lines.value)[row, last]

    def measure(self, model: TreeTagger | ChainTagger, part: str = "test") -> dict[str, Any]:
        """The share of right lists among 3,000 of one part, and the same by depth."""
        lists = _lists(part, 3_000, seed=1)
        right, depth = self.right(model, lists).double(), torch.tensor([listops.depth(e) for e in lists])
        by_depth = [right[depth == d].mean().item() for d in range(2, listops.DEEPEST + 1)]
        return {"all": right.mean().item(), "by depth": by_depth}

    def load(self) -> TreeTagger | ChainTagger:
        """The trained tree of seed 0, from the weights that came with the package."""
        expect(self.reader == "tree", "reader", self.reader, "'tree', whose weights come with the package")
        return load(WEIGHTS / "lists_tree.safetensors", self.build())


@recipe
class CodeRecipe(_Recipe):
    """Python expressions, one answer for each: at the root of its tree, or after its last token."""

    name: ClassVar[str] = "expressions"

    @property
    def budget(self) -> tuple[int, int, float]:
        """Width, steps and learning rate, chosen on the validation part."""
        return (48, 400, 1e-2) if self.reader == "tree" else (48, 500, 1e-2)

    def build(self) -> TreeTagger | ChainTagger:
        """The reader before it has seen an expression."""
        return self.new(len(expressions.vocabulary()), len(expressions.KINDS))

    def batches(self) -> Iterator[list]:
        """Endless batches of training expressions."""
        every, order = expressions.load("train"), random.Random(self.seed)
        while True:
            yield order.sample(every, self.batch)

    def cost(self, model: TreeTagger | ChainTagger, batch: list) -> Tensor:
        """The surprise at the kind of each expression."""
        logits, kind = self.answers(model, batch)
        return expressions.cost(logits, kind)

    def answers(self, model: TreeTagger | ChainTagger, batch: list) -> tuple[Tensor, Tensor]:
        """The logits of the kinds for each expression, and its true kind."""
        if self.reader == "tree":
            trees = expressions.trees(batch)
            return model(trees.tokens, trees.parent)[trees.root], trees.kind
        lines = expressions.lines(batch)
        return model(lines.tokens, lines.mask)[torch.arange(len(batch)), lines.last], lines.kind

    @torch.no_grad()
    def measure(self, model: TreeTagger | ChainTagger, part: str = "test") -> dict[str, float]:
        """The share of right expressions of one part, and the same where all kinds count alike."""
        logits, kind = self.answers(model, expressions.load(part))
        right = (logits.argmax(-1) == kind).double()
        alike = torch.stack([right[kind == k].mean() for k in kind.unique()]).mean()
        return {"all": right.mean().item(), "kinds alike": alike.item()}


@cache
def _lists(part: str, count: int, seed: int) -> list:
    return listops.draw(count, part, torch.Generator().manual_seed(seed))


def recorded() -> dict[str, list[dict[str, Any]]]:
    """What `export` measured on the test part: for each task and reader the shares and the seconds of each seed."""
    return read_record(WEIGHTS / "tree_lstm.json")


def export() -> None:
    """Train both readers on both tasks with three seeds, one thread, and write what they reach and two readers."""
    torch.set_num_threads(1)
    found: dict[str, list[dict[str, Any]]] = {}
    for task, untrained in (("lists", ListsRecipe()), ("code", CodeRecipe())):
        for reader in READERS:
            for seed in SEEDS:
                seeded = replace(untrained, reader=reader, seed=seed)
                next(seeded.batches())  # the examples are read before the clock starts
                began = time.process_time()
                model, _ = seeded.train()
                run = {"seconds": round(time.process_time() - began, 1), **seeded.measure(model)}
                found.setdefault(f"{task}, {reader}", []).append(run)
                write_record(WEIGHTS / "tree_lstm.json", found, indent=1)
                if (task, reader, seed) == ("lists", "tree", 0):
                    save(WEIGHTS / "lists_tree.safetensors", model, dtype=torch.float16)
