"""Valid calls of attend.gating.grid_lstm and attend.gating.graph_lstm."""

import torch

from attend.gating.graph_lstm import GraphLSTM, NodeTagger, by_confidence
from attend.gating.grid_lstm import CORNERS, GridLSTM, PixelTagger, diagonals
from attend.gating.lstm import LSTMState

seed = torch.Generator().manual_seed(0)
plane = GridLSTM(3, 2, generator=seed)
tagger = PixelTagger(2, 3, block=2, generator=seed)
unit = GraphLSTM(3, 2, generator=seed)
nodes = NodeTagger(3, 2, 4, generator=seed)

edge = LSTMState(torch.ones(4, 5, 2) / 2, torch.ones(4, 5, 2))
pixels = {"x": torch.linspace(-1, 1, 60).view(4, 5, 3)}
summaries = {"above": torch.ones(4, 5, 2) / 2, "left": torch.zeros(4, 5, 2)}
own = LSTMState(torch.ones(4, 2) / 2, torch.ones(4, 2))
near = LSTMState(torch.ones(4, 6, 2) / 2, torch.ones(4, 6, 2))
there = torch.arange(24).view(4, 6) % 3 > 0
graph = {
    "x": torch.linspace(-1, 1, 24).view(2, 4, 3),
    "neighbours": torch.tensor([[[1], [0], [3], [2]]] * 2),
    "order": torch.tensor([[2, 0, 1, 3]] * 2),
}

CALLS = {
    GridLSTM: lambda: {"D": 3, "H": 2, "corners": CORNERS[:2], "forget_bias": 1.0, "generator": torch.Generator()},
    plane.start: {"pixels": 2},
    plane.gates: pixels | summaries,
    plane.forward: pixels | {"above": edge, "left": edge},
    plane.image: {"x": torch.linspace(-1, 1, 60).view(1, 4, 5, 3)},
    PixelTagger: lambda: {"H": 2, "classes": 3, "block": 2, "corners": CORNERS, "generator": torch.Generator()},
    tagger.forward: {"images": torch.ones(2, 4, 6)},
    diagonals: {"Y": 3, "X": 4},
    GraphLSTM: lambda: {"D": 3, "H": 2, "forget_bias": 1.0, "generator": torch.Generator()},
    unit.start: {"batch": 2, "nodes": 3},
    unit.gates: {"x": torch.ones(4, 3), "h": own.h, "others": near.h, "there": there},
    unit.forward: {"x": torch.ones(4, 3), "state": own, "others": near, "there": there},
    unit.nodes: graph | {"passes": 2},
    NodeTagger: lambda: {"D": 3, "H": 2, "classes": 4, "passes": 1, "generator": torch.Generator()},
    nodes.forward: graph,
    by_confidence: {"scores": torch.ones(2, 4, 3), "mask": torch.ones(2, 4, dtype=torch.bool)},
}
GOOD = {
    GridLSTM: {"forget_bias": {"zero", "negative"}},
    GraphLSTM: {"forget_bias": {"zero", "negative"}},
    plane.image: {"x": {"width"}},  # an image of another size
    unit.nodes: {"neighbours": {"width"}},  # more places for neighbours
    nodes.forward: {"neighbours": {"width"}},  # the same
    tagger.forward: {"images": {"width"}},  # images of another size, if whole blocks fill them
}
