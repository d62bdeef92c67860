"""What the figure of four shapes carries: the weights of the trained systems, and an example or two for each."""

from typing import Any

import torch
from torch import Tensor, nn

from attend.recipes.bidirectional import PlacesRecipe
from attend.recipes.graph_lstm import GraphRecipe, NodeRecipe, patches
from attend.recipes.grid_lstm import BLOCK, GridRecipe, unseen
from attend.recipes.tree_lstm import ListsRecipe
from attend.tasks import listops
from attend.tasks.numbers import ENGLISH, english

NUMBERS = ((240_007, 3), (5_312, 2))
"""The spoken numbers, and which word of each is picked at the start."""
SHORT = {
    "from_input.weight": "W",
    "from_input.bias": "b",
    "from_hidden.weight": "U",
    "from_neighbours.weight": "V",
    "from_input": "W",
    "from_above": "above",
    "from_left": "left",
    "bias": "b",
}
"""What the figure calls the weights of a layer."""

LISTS = (
    ("MAX", (2, 7, ("MIN", (4, ("MED", (9, 1, 6)), 8)), 0)),
    ("MED", (("MAX", (3, 5)), 1, ("MIN", (("MAX", (8, 2)), 9)))),
)


KINDS = ("line", "tree", "grid", "graph")


def weights(*kinds: str) -> dict[str, Tensor]:
    """The tensors of the systems of these kinds (of all four, where none is named), by the names in the figure."""
    found = {}
    for kind in kinds or KINDS:
        parts, embed = _trained(kind)
        found |= {} if embed is None else {f"{kind}.E": embed.detach()}
        for stem, unit in parts.items():
            found |= {f"{stem}.{SHORT.get(name, name)}": p.detach() for name, p in unit.named_parameters()}
    return found


def _trained(kind: str) -> tuple[dict[str, nn.Module], Tensor | None]:
    """The recurrent layers of one kind, and its embeddings, where it has any."""
    if kind == "line":
        model = PlacesRecipe().load()
        return {"line.ahead": model.encoder.ahead, "line.back": model.encoder.back}, model.embed.weight
    if kind == "tree":
        model = ListsRecipe().load()
        return {"tree": model.tree_lstm}, model.embed.weight
    if kind == "grid":
        return {"grid": GridRecipe().load().encoder}, None
    return {"graph": GraphRecipe().load().graph_lstm}, None


def examples(*kinds: str) -> dict[str, list[dict[str, Any]]]:
    """Two numbers, two lists, two canvases and their patches, as plain numbers and texts; of all kinds, or of these."""
    made = {
        "line": lambda: [_line(*number) for number in NUMBERS],
        "tree": lambda: [_tree(expression) for expression in LISTS],
        "grid": lambda: [_grid(k) for k in (0, 1)],
        "graph": lambda: [_graph(k) for k in (0, 1)],
    }
    return {kind: made[kind]() for kind in kinds or KINDS}


def _line(n: int, picked: int) -> dict[str, Any]:
    words = list(english(n))
    return {"inputs": [ENGLISH.index(word) for word in words], "names": words, "picked": picked}


def _tree(expression: listops.Expression) -> dict[str, Any]:
    trees = listops.forest([expression])
    tokens, parent = trees.tokens.tolist(), trees.parent.tolist()
    names = [str(token) if token < 10 else listops.OPERATIONS[token - 10] for token in tokens]
    return {"inputs": tokens, "names": names, "parent": parent, "picked": 3}


def _grid(k: int) -> dict[str, Any]:
    image = unseen(2).images[k]
    side, block = len(image), BLOCK
    middle = (side // block) ** 2 // 2 + side // block // 2
    return {"pixels": (255 * image).round().int().flatten().tolist(), "side": side, "block": block, "picked": middle}


def _graph(k: int) -> dict[str, Any]:
    of = patches("test")
    order = GraphRecipe().visits(of, NodeRecipe().load())[k]
    there = of.mask[k].nonzero()[:, 0]
    if not torch.equal(there, torch.arange(len(there))):
        raise ValueError("patches: got gaps between patches, expected them to come first")
    neighbours = [[n for n in row if n >= 0] for row in of.neighbours[k, : len(there)].tolist()]
    features = [[round(value, 4) for value in row] for row in of.features[k, : len(there)].tolist()]
    order = [i for i in order.tolist() if i < len(there)]
    return {"features": features, "neighbours": neighbours, "order": order, "picked": order[len(order) // 2]}
