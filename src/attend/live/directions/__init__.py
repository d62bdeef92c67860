"""What reaches a hidden state: pick a node on a line, a tree, a plane or a graph, and see which inputs move it."""

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


SEEN = {
    "line": "a spoken number as a row of words, where with two readers every word reaches every other",
    "tree": "a nested list as a tree, where only what hangs below a node reaches it",
    "grid": "a picture as a plane of blocks, where from one corner a rectangle reaches each block",
    "graph": "the patches of a picture as a graph, where every pass reaches further",
}


class Influence(LiveFigure):
    """A node to pick, and every input coloured by how much it moves that node's hidden state.

    `examples` holds the examples of each kind that is to be seen, of "line", "tree", "grid" and "graph" (`NEEDS` says
    what stands in one). `weights` holds the trained tensors of these kinds by name, `line.E`, `tree.W` and so on
    (`WEIGHTS` lists them); they travel as int8. What a colour shows is the length of ∂h/∂x, computed in the browser.
    Raises ValueError when a tensor or a part of an example is missing.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], examples: Mapping[str, Sequence[Mapping[str, Any]]]):
        known = len(examples) > 0 and set(examples) <= set(NEEDS)
        expect(known, "examples", sorted(examples), f"examples of one or more of {', '.join(NEEDS)}")
        wanted = {f"{kind}.{name}" for kind in examples for name in WEIGHTS[kind]}
        expect(set(weights) == wanted, "weights", sorted(wanted ^ set(weights)), "the tensors that WEIGHTS names")
        for kind, shown in examples.items():
            fits = len(shown) > 0 and all(set(example) == NEEDS[kind] for example in shown)
            expect(fits, f"examples[{kind!r}]", shown, f"at least one with {', '.join(sorted(NEEDS[kind]))}")
        seen = "; ".join(SEEN[kind] for kind in NEEDS if kind in examples)
        super().__init__(
            alt=(
                f"{seen[0].upper()}{seen[1:]}. One node is picked. The stronger an input is coloured, the more it "
                "moves the hidden state of that node; what has no colour cannot reach it."
            ),
            invite="Pick a node. Which inputs can reach its hidden state, and which of them move it most?",
            data={"examples": {k: [dict(example) for example in examples[k]] for k in NEEDS if k in examples}},
            tensors=dict(weights),
            precision="int8",
        )
