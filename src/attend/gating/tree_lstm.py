"""Tree-LSTM: a summary of a node, made of its own input and the summaries of all its children.

Source   Tai, Socher & Manning 2015, Improved semantic representations from tree-structured long short-term memory
         networks, arXiv:1503.00075, eqs. 2-8 (child-sum); lecture hu2019lecture16.
Departs  nodes of one height are computed together, over all trees of a batch.
Agrees   attend.gating.lstm and torch.nn.LSTM where every node has one child; a recursion that visits node by node, in
         values and gradients (tests/gating/test_tree_lstm.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.gating.lstm import LSTM, LSTMState
from attend.memory.supervision import Embedding, Readout

ROOT = -1
"""The parent of a node that has none."""


@checked
def heights(parent: Int[Tensor, "N"]) -> Int[Tensor, "N"]:
    """How many steps lie between each node and its deepest leaf (N): 0 for leaves.

    `parent` holds the parent of each node, or ROOT; many trees may stand in it. Raises ValueError for a parent that is
    not among the nodes, and where parents go round in a circle.
    """
    N = len(parent)
    known = bool(((parent >= ROOT) & (parent < N)).all())
    expect(known, "parent", parent, f"the number of a node, 0 to {N - 1}, or {ROOT} for a root")
    height = torch.zeros_like(parent)
    inner = (parent != ROOT).nonzero()[:, 0]
    above = parent[inner]
    for _ in range(N):
        higher = height.scatter_reduce(0, above, height[inner] + 1, "amax")
        if torch.equal(higher, height):
            return height
        height = higher
    raise ValueError(f"parent: got a tensor of shape ({N},) with a circle, expected trees")


class TreeLSTM(LSTM):
    """The unit c = Σ_k f_k ⊙ c_k + i ⊙ g, h = o ⊙ tanh(c), summed over the children k of a node.

    i, o and g hear the node's input and the sum of its children's summaries, σ(W x + U Σ_k h_k + b) and so on; each
    child has a forget gate of its own, f_k = σ(W_f x + U_f h_k + b_f). Weights and their start are those of `LSTM`: a
    node with one child is a step of it.
    """

    @checked
    def forward(
        self,
        x: Float[Tensor, "B D"],
        children: LSTMState | None = None,
        of: Int[Tensor, "C"] | None = None,
    ) -> LSTMState:
        """The state of B nodes (B, H), from their inputs and the states of their C children (C, H).

        `of` says for each child which of the B nodes is its parent. Nodes may have any number of children; leaves
        alone come without both.
        """
        children, of = self._told(x, children, of)
        x_i, x_f, x_g, x_o = (x @ self.W.T + self.b).chunk(4, dim=1)
        U_i, U_f, U_g, U_o = self.U.chunk(4)
        summed = torch.zeros_like(x_i).index_add(0, of, children.h)
        f = torch.sigmoid(x_f[of] + children.h @ U_f.T)  # one a child
        i = torch.sigmoid(x_i + summed @ U_i.T)
        g = torch.tanh(x_g + summed @ U_g.T)
        o = torch.sigmoid(x_o + summed @ U_o.T)
        cell = (i * g).index_add(0, of, f * children.cell)
        return LSTMState(o * torch.tanh(cell), cell)

    def _told(self, x: Tensor, children: LSTMState | None, of: Tensor | None) -> tuple[LSTMState, Tensor]:
        """The children and their parents, none for leaves alone; refused where they do not fit."""
        expect(x.shape[1] == self.D, "x", x, f"vectors of this unit's input width D = {self.D}")
        expect((children is None) == (of is None), "of", of, "a parent for each child, or neither children nor parents")
        if children is None or of is None:
            none = x.new_zeros(0, self.H)
            return LSTMState(none, none), torch.zeros(0, dtype=torch.long)
        expect(bool(((of >= 0) & (of < len(x))).all()), "of", of, f"the number of a node, 0 to {len(x) - 1}")
        fits = all(part.shape == (len(of), self.H) for part in children)
        expect(fits, "children", children.h, f"states of shape ({len(of)}, {self.H})")
        return children, of

    @checked
    def forest(self, x: Float[Tensor, "N D"], parent: Int[Tensor, "N"]) -> LSTMState:
        """The states of all N nodes (N, H), from the leaves up; all nodes of one height are one step.

        `parent` holds each node's parent, or -1: several trees may stand side by side.
        """
        height, held = heights(parent), LSTMState(x.new_zeros(len(x), self.H), x.new_zeros(len(x), self.H))
        inner, place = (parent != ROOT).nonzero()[:, 0], torch.zeros_like(parent)
        for level in range(int(height.max()) + 1):
            at = (height == level).nonzero()[:, 0]
            kids = inner[height[parent[inner]] == level]
            place[at] = torch.arange(len(at))
            told = (LSTMState(held.h[kids], held.cell[kids]), place[parent[kids]]) if level else ()
            new = self(x[at], *told)
            held = LSTMState(held.h.index_copy(0, at, new.h), held.cell.index_copy(0, at, new.cell))
        return held


@checked
def one_by_one(unit: TreeLSTM, x: Float[Tensor, "N D"], parent: Int[Tensor, "N"], node: int) -> LSTMState:
    """The state (1, H) of one node, by asking each of its children for theirs: slow, and the plain meaning."""
    expect(0 <= node < len(parent), "node", node, f"the number of a node, 0 to {len(parent) - 1}")
    kids = (parent == node).nonzero()[:, 0].tolist()
    if not kids:
        return unit(x[node : node + 1])
    told = [one_by_one(unit, x, parent, kid) for kid in kids]
    children = LSTMState(*(torch.cat(part) for part in zip(*told, strict=True)))
    return unit(x[node : node + 1], children, torch.zeros(len(kids), dtype=torch.long))


class TreeReader(nn.Module):
    """An answer at every node: vectors of width D for V tokens, a Tree-LSTM, a readout of O answers."""

    @checked
    def __init__(self, V: int, D: int, H: int, O: int, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = Embedding(V, D, generator=generator)
        self.unit = TreeLSTM(D, H, forget_bias=1.0, generator=generator)
        self.readout = Readout(H, O, generator)

    @checked
    def forward(self, tokens: Int[Tensor, "N"], parent: Int[Tensor, "N"]) -> Float[Tensor, "N O"]:
        """The logits of the answers at every node."""
        return self.readout(self.unit.forest(self.embed(tokens), parent).h)


class ChainReader(nn.Module):
    """The rival: the same parts on a line of tokens, read from left to right, an answer after every token."""

    @checked
    def __init__(self, V: int, D: int, H: int, O: int, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = Embedding(V, D, generator=generator)
        self.unit = LSTM(D, H, forget_bias=1.0, generator=generator)
        self.readout = Readout(H, O, generator)

    @checked
    def forward(self, tokens: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"]) -> Float[Tensor, "B T O"]:
        """The logits of the answers after every token."""
        return self.readout(self.unit.sequence(self.embed(tokens), mask=mask)[0])
