"""Naming patches of ink: a graph LSTM that visits them in one of three orders, and a net that sees each alone."""

import time
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.gating.graph_lstm import NodeTagger, by_confidence
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import clutter
from attend.tasks.superpixels import FEATURES, Graphs, accuracy, cost, graphs
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/graph_lstm*",)
SEEDS = (0, 1, 2)
TRIED = (("confidence", 2), ("random", 2), ("reading", 2), ("confidence", 1), ("random", 1))
"""Orders and numbers of passes that are measured beside each other."""
CANVASES = {"train": 2_000, "validation": 300, "test": 500}
"""How many canvases are cut into patches."""


@cache
def patches(split: str = "train") -> Graphs:
    """The graphs of a split, the same every time."""
    generator = torch.Generator().manual_seed(11)
    return graphs(clutter.canvases(split, CANVASES[split], generator, pieces=3))


def some(of: Graphs, rows: Tensor) -> Graphs:
    """The graphs with the numbers `rows`."""
    return Graphs(*(part[rows] for part in of))


@recipe
class NodeRecipe:
    """The rival, that also tells how sure each patch is by itself: torch's own layers, one patch at a time."""

    seed: Seed = 0
    hidden: Positive = 46
    steps: Positive = 600
    batch: Positive = 64
    learning_rate: PositiveFloat = 1e-2

    def build(self) -> nn.Module:
        """The net before it has seen a patch: two hidden layers, 2,624 weights."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            D, hidden = len(FEATURES), self.hidden
            layers = nn.Linear(D, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 2)
            return nn.Sequential(*layers)

    def train(self) -> tuple[nn.Module, History]:
        """Train from the start, about two seconds."""
        return _train(self, self.build(), lambda model, batch, _: model(batch.features), None)

    def load(self) -> nn.Module:
        """The trained net of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "graph_lstm_alone.safetensors", self.build()).requires_grad_(False)


@recipe
class GraphRecipe:
    """A graph LSTM and the order of its visits; steps, batch and rate were chosen on validation canvases."""

    order: Literal["confidence", "random", "reading"] = "confidence"
    seed: Seed = 0
    passes: Positive = 2
    H: Positive = 16
    steps: Positive = 400
    batch: Positive = 64
    learning_rate: PositiveFloat = 3e-2

    def build(self) -> NodeTagger:
        """The tagger before it has seen a graph."""
        generator = torch.Generator().manual_seed(self.seed)
        return NodeTagger(len(FEATURES), self.H, 2, self.passes, generator)

    def visits(self, of: Graphs, alone: nn.Module) -> Tensor:
        """Which node comes first, second, … in each graph (B, N); `alone` is the net of NodeRecipe."""
        if self.order == "confidence":
            with torch.no_grad():
                return by_confidence(alone(of.features), of.mask)
        if self.order == "reading":
            place = of.features[..., FEATURES.index("row")] + 1e-3 * of.features[..., FEATURES.index("column")]
        else:
            place = torch.rand(of.mask.shape, generator=torch.Generator().manual_seed(2_000 + self.seed))
        return place.masked_fill(~of.mask, 9).argsort(dim=1, stable=True)

    def train(self, alone: nn.Module) -> tuple[NodeTagger, History]:
        """Train from the start, about 15 processor seconds."""
        return _train(self, self.build(), run, self.visits(patches(), alone))

    def load(self) -> NodeTagger:
        """The trained tagger of seed 0 that goes by confidence, from the weights that came with the package."""
        return load(WEIGHTS / "graph_lstm.safetensors", self.build()).requires_grad_(False)


def run(model: nn.Module, of: Graphs, visits: Tensor) -> Tensor:
    """Class scores (B, N, 2) of all nodes."""
    return model(of.features, of.neighbours, visits)


def _train(recipe: NodeRecipe | GraphRecipe, model: nn.Module, scores: Any, visits: Tensor | None) -> Any:
    """Adam with one rise and fall of its rate, on graphs drawn at random from the training part."""
    generator = torch.Generator().manual_seed(1_000 + recipe.seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.learning_rate, total_steps=recipe.steps)
    draws = iter(lambda: torch.randint(CANVASES["train"], (recipe.batch,), generator=generator), None)

    def loss(model: nn.Module, rows: Tensor) -> Tensor:
        batch = some(patches(), rows)
        return cost(scores(model, batch, None if visits is None else visits[rows]), batch)

    history = fit(
        model, loss, draws, steps=recipe.steps, optimiser=optimiser, schedule=schedule, clip=1.0, label="naming patches"
    )
    return model.requires_grad_(False), history


def measure(model: nn.Module, recipe: GraphRecipe, alone: nn.Module, split: str = "test") -> float:
    """The share of patches of ink that are named rightly."""
    of = patches(split)
    return accuracy(run(model, of, recipe.visits(of, alone)), of)


def load_results() -> dict[str, Any]:
    """What `export` measured: accuracies over seeds, by order and number of passes, and processor seconds."""
    return read_record(WEIGHTS / "graph_lstm.json")


def export() -> None:
    """Train the net alone and the graph LSTM in every order over three seeds, and write what unseen canvases say."""
    torch.set_num_threads(1)
    of = patches("test")
    share = (of.labels[of.mask] == 0).double().mean().item()
    results: dict[str, Any] = {"larger class": round(max(share, 1 - share), 4)}
    for seed in SEEDS:
        alone, _ = NodeRecipe(seed).train()
        results.setdefault("alone", []).append(round(accuracy(alone(of.features), of), 4))
        for tried in (GraphRecipe(order, seed, passes) for order, passes in TRIED):
            began = time.process_time()
            model, _ = tried.train(alone)
            seconds = round(time.process_time() - began)
            found = {"test": round(measure(model, tried, alone), 4), "seconds": seconds}
            results.setdefault(f"{tried.order} {tried.passes}", []).append(found)
            if tried == GraphRecipe():
                save(WEIGHTS / "graph_lstm.safetensors", model, dtype=torch.float16)
                save(WEIGHTS / "graph_lstm_alone.safetensors", alone, dtype=torch.float16)
            write_record(WEIGHTS / "graph_lstm.json", results, indent=1)
