"""Patches of ink, named alone, by what their neighbours say, by attention over them, and by a graph LSTM."""

from functools import cache
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attend.core.expect import checked, expect, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.gating.graph_attention import GraphAttention, GraphTagger, edges_of
from attend.gating.graph_lstm import NodeTagger
from attend.tasks import clutter, superpixels
from attend.train.fit import fit
from attend.train.schedule import one_cycle

Network = Literal["alone", "mean", "neighbours", "everyone", "lstm"]
NETWORKS: tuple[str, ...] = get_args(Network)
CANVASES = {"train": 1_000, "validation": 300, "test": 500}
"""How many canvases are cut into patches."""
GRID = (5e-3, 1e-2, 2e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = dict.fromkeys(NETWORKS, 2e-2)
"""Adam's rate: the best of GRID on validation canvases with the seed of TUNED_ON (`tune`)."""


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
    """Digit or clutter, for each patch of ink: five networks of 2,312 to 2,402 weights, 200 batches of 32 canvases.

    Each patch alone; the mean of its neighbours; attention over them, or over all patches of the canvas; a graph LSTM
    that goes down from the top. `rounds` are its passes.
    """

    network: Network = "neighbours"
    rounds: Positive = 4
    seed: NonNegative = 0
    rate: PositiveFloat | None = None

    def build(self) -> GraphTagger | NodeTagger:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        D = len(superpixels.FEATURES)
        if self.network == "lstm":
            return NodeTagger(D, 15, 2, self.rounds, torch.Generator().manual_seed(self.seed))
        if self.network in ("alone", "mean"):
            H, hears = (43, False) if self.network == "alone" else (32, True)
            return GraphTagger(D, Mean(H, hears), H, 2, self.rounds)
        return GraphTagger(D, GraphAttention(28), 28, 2, self.rounds)

    def hears(self, of: superpixels.Graphs) -> tuple[Tensor, ...]:
        """What the network is told of who belongs to whom: edges, or lists of neighbours and the order of visits."""
        if self.network == "everyone":
            return (of.mask[:, :, None] & of.mask[:, None, :],)
        if self.network != "lstm":
            return (edges_of(of.neighbours),)
        row, column = (of.features[..., superpixels.FEATURES.index(name)] for name in ("row", "column"))
        return of.neighbours, (row + 1e-3 * column).masked_fill(~of.mask, 9).argsort(dim=1, stable=True)

    def train(self, callbacks=()) -> GraphTagger | NodeTagger:
        """Train from the start."""
        of = patches("train")
        heard, generator = self.hears(of), torch.Generator().manual_seed(1_000 + self.seed)

        def cost(model: nn.Module, rows: Tensor) -> Tensor:
            some = superpixels.Graphs(*(part[rows] for part in of))
            return superpixels.cost(model(some.features, *(part[rows] for part in heard)), some)

        batches = iter(lambda: torch.randint(len(of.mask), (32,), generator=generator), None)
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.network])
        schedule = one_cycle(optimiser, 200)
        fit(
            model,
            cost,
            batches,
            steps=200,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            callbacks=callbacks,
            label=f"patches, {self.network}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def accuracy(self, model: nn.Module, split: str = "test") -> float:
        """The share of patches that are named rightly."""
        of = patches(split)
        return superpixels.accuracy(model(of.features, *self.hears(of)), of)


@checked
@cache
def patches(split: str = "train") -> superpixels.Graphs:
    """The graphs of a split, the same every time. Raises ValueError for a split that there is not."""
    expect(split in CANVASES, "split", split, f"one of {', '.join(CANVASES)}")
    generator = torch.Generator().manual_seed(11)
    return superpixels.graphs(clutter.canvases(split, CANVASES[split], generator, pieces=3))


def tune() -> None:
    """Print how every network does on validation canvases with every rate of GRID, on the seed of TUNED_ON."""
    for network in NETWORKS:
        for rate in GRID:
            one = PatchesRecipe(network, 2 if network == "lstm" else 4, TUNED_ON[0], rate)
            model = one.train()
            print(f"{network}, {rate:g}: {one.accuracy(model, 'validation'):.4f}", flush=True)
