"""What reaches a summary: pick a node on a line, a tree, a plane or a graph, and see which inputs move it."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

NEEDS = {
    "line": {"inputs", "names", "picked"},
    "tree": {"inputs", "names", "parent", "picked"},
    "grid": {"pixels", "side", "block", "picked"},
    "graph": {"features", "neighbours", "order", "picked"},
}
"""What an example of each kind says. `inputs` are tokens, `picked` the node at the start; a node of a tree stands
before its children; `pixels` are whole numbers from 0 to 255, row by row."""

WEIGHTS = {
    "line": ("E", "ahead.W", "ahead.U", "ahead.b", "back.W", "back.U", "back.b"),
    "tree": ("E", "W", "U", "b"),
    "grid": ("W", "above", "left", "b"),
    "graph": ("W", "U", "V", "b"),
}


class Influence(LiveFigure):
    """A node to pick, and every input coloured by how much it moves that node's summary.

    `weights` holds the trained tensors by name, `line.E`, `tree.W` and so on (`WEIGHTS` lists them); they travel as
    int8. `examples` holds for each kind its examples (`NEEDS` says what stands in one). What a colour shows is the
    length of ∂h/∂x, computed in the browser. Raises ValueError when a tensor or a part of an example is missing.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], examples: Mapping[str, Sequence[Mapping[str, Any]]]):
        wanted = {f"{kind}.{name}" for kind, names in WEIGHTS.items() for name in names}
        expect(set(weights) == wanted, "weights", sorted(wanted ^ set(weights)), "the tensors that WEIGHTS names")
        expect(set(examples) == set(NEEDS), "examples", sorted(examples), f"examples of {', '.join(NEEDS)}")
        for kind, shown in examples.items():
            fits = len(shown) > 0 and all(set(example) == NEEDS[kind] for example in shown)
            expect(fits, f"examples[{kind!r}]", shown, f"at least one with {', '.join(sorted(NEEDS[kind]))}")
        super().__init__(
            alt=(
                "A spoken number as a row of words, a nested list as a tree, a picture as a plane of blocks, or the "
                "patches of a picture as a graph. One node is picked. The stronger an input is coloured, the more it "
                "moves the summary of that node; what has no colour cannot reach it. In the row, with both readers, "
                "every word reaches every other; in the tree, only what hangs below a node."
            ),
            invite="Pick a node. Which inputs can reach its summary, and which of them does it really hear?",
            data={"examples": {kind: [dict(example) for example in shown] for kind, shown in examples.items()}},
            tensors=dict(weights),
            precision="int8",
        )
