"""Valid calls of attend.gating.grid_lstm and attend.gating.graph_lstm."""

import torch

from attend.gating.graph_lstm import GraphLSTM, NodeTagger, by_confidence
from attend.gating.grid_lstm import CORNERS, GridLSTM, PixelTagger, diagonals

seed = torch.Generator().manual_seed(0)
plane = GridLSTM(3, 2, generator=seed)
tagger = PixelTagger(2, 3, block=2, generator=seed)
unit = GraphLSTM(3, 2, generator=seed)
nodes = NodeTagger(3, 2, 4, generator=seed)

graph = {
    "x": torch.linspace(-1, 1, 24).view(2, 4, 3),
    "neighbours": torch.tensor([[[1], [0], [3], [2]]] * 2),
    "order": torch.tensor([[2, 0, 1, 3]] * 2),
}

CALLS = {
    GridLSTM: lambda: {
        "input_size": 3,
        "hidden_size": 2,
        "corners": CORNERS[:2],
        "forget_bias": 1.0,
        "generator": torch.Generator(),
    },
    plane.forward: {"x": torch.linspace(-1, 1, 60).view(1, 4, 5, 3)},
    PixelTagger: lambda: {
        "hidden_size": 2,
        "classes": 3,
        "block": 2,
        "corners": CORNERS,
        "generator": torch.Generator(),
    },
    tagger.forward: {"images": torch.ones(2, 4, 6)},
    diagonals: {"Y": 3, "X": 4},
    GraphLSTM: lambda: {"input_size": 3, "hidden_size": 2, "forget_bias": 1.0, "generator": torch.Generator()},
    unit.forward: graph | {"passes": 2},
    NodeTagger: lambda: {"D": 3, "H": 2, "classes": 4, "passes": 1, "generator": torch.Generator()},
    nodes.forward: graph,
    by_confidence: {"scores": torch.ones(2, 4, 3), "mask": torch.ones(2, 4, dtype=torch.bool)},
}
GOOD = {
    GridLSTM: {"forget_bias": {"zero", "negative"}},
    GraphLSTM: {"forget_bias": {"zero", "negative"}},
    plane.forward: {"x": {"width"}},  # an image of another size
    unit.forward: {"neighbours": {"width"}},  # more places for neighbours
    nodes.forward: {"neighbours": {"width"}},  # the same
    tagger.forward: {"images": {"width"}},  # images of another size, if whole blocks fill them
}
