"""Lists in lists for trees and chains, what an expression gives, and patches of ink that hear their neighbours."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.graph_attention import GraphAttention, GraphTagger, edges_of
from attend.gating.graph_lstm import NodeTagger, by_confidence
from attend.gating.tree_lstm import ChainTagger, TreeLSTM, TreeTagger
from attend.recipes import WEIGHTS
from attend.tasks import clutter, expressions, listops, superpixels
from attend.train.checkpoint import load, save
from attend.train.fit import fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/trees_*.safetensors",)
Reader = Literal["tree", "one_gate", "chain"]
READERS: tuple[str, ...] = get_args(Reader)
Network = Literal["alone", "mean", "neighbours", "everyone", "lstm_surest", "lstm_down"]
NETWORKS: tuple[str, ...] = get_args(Network)
DEEPEST = 2
"""How deep the lists of training lie in each other."""
CANVASES = {"train": 1_000, "validation": 300, "test": 500}
"""How many canvases are cut into patches."""
GRID = (5e-3, 1e-2, 2e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = {
    "tree": 1e-2,
    "one_gate": 1e-2,
    "chain": 1e-2,
    "code, tree": 1e-2,
    "code, chain": 1e-2,
    "alone": 1e-2,
    "mean": 1e-2,
    "neighbours": 1e-2,
    "everyone": 1e-2,
    "lstm_surest": 1e-2,
    "lstm_down": 1e-2,
}
"""Adam's rate: the best of GRID on validation data with the seed of TUNED_ON (`tune`)."""


class OneGate(TreeLSTM):
    """The same layer with one forget gate for all children, from the sum of their hidden states."""

    def step(self, x: Tensor, children: tuple[Tensor, Tensor], parent: Tensor) -> tuple[Tensor, Tensor]:
        """The states of N nodes: an LSTM's step from the sums of h and of c over the children."""
        h, c = (torch.zeros(len(x), self.hidden_size).index_add(0, parent, part) for part in children)
        i, f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def reader(kind: str, V: int, H: int, O: int, seed: int) -> TreeTagger | ChainTagger:
    """A tree or a chain at initialisation: embeddings of 16 numbers, H cells, O answers."""
    made = ChainTagger if kind == "chain" else TreeTagger
    model = made(V, 16, H, O, torch.Generator().manual_seed(seed))
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
        return 800 if self.reader == "chain" else 400

    def build(self) -> TreeTagger | ChainTagger:
        """The model at initialisation."""
        return reader(self.reader, listops.V, 32, 10, self.seed)

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
        return _fitted(self.build(), self.cost, batches, self.steps, self.rate or RATE[self.reader], callbacks)

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

    def load(self) -> TreeTagger:
        """The trained tree of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "trees_lists.safetensors", self.build()).requires_grad_(False)


@recipe
class CodeRecipe:
    """What a Python expression gives: 250 batches of 64, an answer at the root, or after the last token."""

    reader: Literal["tree", "chain"] = "tree"
    seed: NonNegative = 0
    rate: PositiveFloat | None = None

    def logits(self, model: TreeTagger | ChainTagger, batch: list) -> tuple[Tensor, Tensor]:
        """The logits of the kinds for each expression, and its true kind."""
        if self.reader == "tree":
            trees = expressions.trees(batch)
            return model(trees.tokens, trees.parent)[trees.root], trees.kind
        lines = expressions.lines(batch)
        return model(lines.tokens, lines.mask)[torch.arange(len(batch)), lines.last], lines.kind

    def train(self, callbacks=()) -> TreeTagger | ChainTagger:
        """Train from the start."""
        model = reader(self.reader, len(expressions.vocabulary()), 48, len(expressions.KINDS), self.seed)
        draws, every = random.Random(self.seed), expressions.load("train")
        batches = iter(lambda: draws.sample(every, 64), None)
        rate = self.rate or RATE[f"code, {self.reader}"]
        return _fitted(
            model, lambda model, batch: expressions.cost(*self.logits(model, batch)), batches, 250, rate, callbacks
        )

    @torch.no_grad()
    def right(self, model: TreeTagger | ChainTagger, part: str = "test") -> float:
        """The share of right expressions of one part."""
        logits, kind = self.logits(model, expressions.load(part))
        return (logits.argmax(-1) == kind).double().mean().item()


class Mean(nn.Module):
    """The baseline of graph attention: every neighbour counts the same; without neighbours, nobody does."""

    def __init__(self, hidden_size: int, hears: bool = True):
        super().__init__()
        self.own = nn.Linear(hidden_size, hidden_size)
        self.message = nn.Linear(hidden_size, hidden_size, bias=False) if hears else None

    def forward(self, h: Tensor, edges: Tensor) -> Tensor:
        """The new states of all nodes (B, N, H)."""
        if self.message is None:
            return torch.tanh(self.own(h))
        shares = edges / edges.sum(dim=2, keepdim=True).clamp(min=1)
        return torch.tanh(self.own(h) + shares @ self.message(h))


@recipe
class PatchesRecipe:
    """Digit or clutter, for each patch of ink: six networks of 2,312 to 2,402 weights, 300 batches of 32 canvases.

    Each patch alone; the mean of its neighbours; attention over them, or over all patches of the canvas; a graph LSTM
    that visits the surest patch first (`alone` says how sure), or goes down from the top. `rounds` are its passes.
    """

    network: Network = "neighbours"
    rounds: Positive = 4
    seed: NonNegative = 0
    rate: PositiveFloat | None = None

    def build(self) -> GraphTagger | NodeTagger:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        D = len(superpixels.FEATURES)
        if self.network.startswith("lstm"):
            return NodeTagger(D, 15, 2, self.rounds, torch.Generator().manual_seed(self.seed))
        if self.network in ("alone", "mean"):
            H, hears = (43, False) if self.network == "alone" else (32, True)
            return GraphTagger(D, Mean(H, hears), H, 2, self.rounds)
        return GraphTagger(D, GraphAttention(28), 28, 2, self.rounds)

    def hears(self, of: superpixels.Graphs, alone: nn.Module | None = None) -> tuple[Tensor, ...]:
        """What the network is told of who belongs to whom: edges, or lists of neighbours and the order of visits."""
        if self.network == "everyone":
            return (of.mask[:, :, None] & of.mask[:, None, :],)
        if not self.network.startswith("lstm"):
            return (edges_of(of.neighbours),)
        if self.network == "lstm_surest":
            with torch.no_grad():
                return of.neighbours, by_confidence(alone(of.features, edges_of(of.neighbours)), of.mask)
        row, column = (of.features[..., superpixels.FEATURES.index(name)] for name in ("row", "column"))
        return of.neighbours, (row + 1e-3 * column).masked_fill(~of.mask, 9).argsort(dim=1, stable=True)

    def train(self, alone: nn.Module | None = None, callbacks=()) -> GraphTagger | NodeTagger:
        """Train from the start."""
        of = patches("train")
        heard, generator = self.hears(of, alone), torch.Generator().manual_seed(1_000 + self.seed)

        def cost(model: nn.Module, rows: Tensor) -> Tensor:
            some = superpixels.Graphs(*(part[rows] for part in of))
            return superpixels.cost(model(some.features, *(part[rows] for part in heard)), some)

        batches = iter(lambda: torch.randint(len(of.mask), (32,), generator=generator), None)
        return _fitted(self.build(), cost, batches, 300, self.rate or RATE[self.network], callbacks)

    @torch.no_grad()
    def accuracy(self, model: nn.Module, alone: nn.Module | None = None, split: str = "test") -> float:
        """The share of patches that are named rightly."""
        of = patches(split)
        return superpixels.accuracy(model(of.features, *self.hears(of, alone)), of)

    def load(self) -> GraphTagger:
        """The trained attention over neighbours of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "trees_patches.safetensors", self.build()).requires_grad_(False)


@checked
@cache
def patches(split: str = "train") -> superpixels.Graphs:
    """The graphs of a split, the same every time."""
    generator = torch.Generator().manual_seed(11)
    return superpixels.graphs(clutter.canvases(split, CANVASES[split], generator, pieces=3))


@cache
def _lists(part: str, count: int, deepest: int, shallowest: int = 1) -> list:
    draws = torch.Generator().manual_seed(1 + deepest)
    return listops.draw(count, part, draws, deepest, shallowest=shallowest, operations=("MAX", "MIN"), most_parts=3)


@checked
def lists_of_depth(depth: Positive, part: str = "test", count: Positive = 400) -> list:
    """Lists of exactly this depth, the same every time."""
    return _lists(part, count, depth, depth)


def _fitted(model: nn.Module, cost, batches: Iterator, steps: int, rate: float, callbacks) -> nn.Module:
    """Adam, its rate rising and falling once, gradients clipped to length 1."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = one_cycle(optimiser, steps)
    fit(model, cost, batches, steps=steps, optimiser=optimiser, schedule=schedule, clip=1.0, callbacks=callbacks)
    return model


def tune() -> None:
    """Print how every model does on validation data with every rate of GRID, on the seed of TUNED_ON."""
    (seed,), alone = TUNED_ON, None
    for kind in READERS:
        for rate in GRID:
            one = ListsRecipe(kind, seed, rate)
            print(f"lists, {kind}, {rate:g}: {one.right(one.train(), lists_of_depth(2, 'validation')):.4f}", flush=True)
    for network in NETWORKS:
        for rate in GRID:
            one = PatchesRecipe(network, 2 if network.startswith("lstm") else 4, seed, rate)
            model = one.train(alone)
            print(f"patches, {network}, {rate:g}: {one.accuracy(model, alone, 'validation'):.4f}", flush=True)
            if network == "alone":
                alone = model
    for kind in ("tree", "chain"):
        for rate in GRID:
            one = CodeRecipe(kind, seed, rate)
            print(f"code, {kind}, {rate:g}: {one.right(one.train(), 'validation'):.4f}", flush=True)


def export() -> None:
    """Train the tree and the attention over neighbours that the figures carry, seed 0."""
    torch.set_num_threads(1)
    save(WEIGHTS / "trees_lists.safetensors", ListsRecipe().train(), dtype=torch.float16)
    save(WEIGHTS / "trees_patches.safetensors", PatchesRecipe().train(), dtype=torch.float16)
