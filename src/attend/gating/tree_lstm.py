"""Tree-LSTM: the state of a node, from its own input and the states of all its children.

Source   Tai, Socher & Manning 2015, Improved semantic representations from tree-structured long short-term memory
         networks, arXiv:1503.00075, eqs. 2-8 (child-sum); lecture hu2019lecture16.
Departs  nodes of one height are computed together, over all trees of a batch.
Agrees   attend.gating.lstm and torch.nn.LSTM where every node has one child; a recursion that visits node by node, in
         values and gradients (tests/gating/test_tree_lstm.py).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Mask, NonNegative, Plural, Positive, Tokens
from attend.gating.lstm import LSTM

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
    """One child-sum Tree-LSTM layer. A node with one child is a step of `LSTM`, whose weights and start these are.

    i, g, o = as in LSTM, from the node's input and the sum of its children's hidden states
    f_k = σ(W_f x + U_f h_k + b_f)     a forget gate for each child k
    c = Σ_k f_k ⊙ c_k + i ⊙ g          cell state
    h = o ⊙ tanh(c)                    hidden state
    """

    def step(self, x: Tensor, children: tuple[Tensor, Tensor], parent: Tensor) -> tuple[Tensor, Tensor]:
        """The states of N nodes, from x (N, input_size), their C children's h and c (C, H), and each child's parent."""
        h, c = children
        x_i, x_f, x_g, x_o = self.from_input(x).chunk(4, dim=1)  # each (N, H)
        U_i, U_f, U_g, U_o = self.from_hidden.weight.chunk(4)
        h_sum = torch.zeros_like(x_i).index_add(0, parent, h)  # (N, H)
        i = torch.sigmoid(x_i + h_sum @ U_i.T)
        f = torch.sigmoid(x_f[parent] + h @ U_f.T)  # (C, H): one a child
        g = torch.tanh(x_g + h_sum @ U_g.T)
        o = torch.sigmoid(x_o + h_sum @ U_o.T)
        c = (i * g).index_add(0, parent, f * c)
        return o * torch.tanh(c), c

    @checked
    def forward(
        self, x: Float[Tensor, "N {self.input_size}"], parent: Int[Tensor, "N"]
    ) -> tuple[Float[Tensor, "N H"], Float[Tensor, "N H"]]:
        """The states h and c of all N nodes, from the leaves up; all nodes of one height are one step.

        `parent` holds each node's parent, or -1: several trees may stand side by side.
        """
        height = heights(parent)
        h = c = x.new_zeros(len(x), self.hidden_size)
        child, place = (parent != ROOT).nonzero()[:, 0], torch.zeros_like(parent)
        for level in range(int(height.max()) + 1):
            nodes = (height == level).nonzero()[:, 0]
            # Where a node stands among those of its height.
            place[nodes] = torch.arange(len(nodes), device=nodes.device)
            children = child[height[parent[child]] == level]
            new_h, new_c = self.step(x[nodes], (h[children], c[children]), place[parent[children]])
            h, c = h.index_copy(0, nodes, new_h), c.index_copy(0, nodes, new_c)
        return h, c


@checked
def one_by_one(
    tree: TreeLSTM, x: Float[Tensor, "N D"], parent: Int[Tensor, "N"], node: NonNegative
) -> tuple[Float[Tensor, "1 H"], Float[Tensor, "1 H"]]:
    """The state of one node, by asking each of its children for theirs: slow, and the plain meaning."""
    expect(node < len(parent), "node", node, f"the number of a node, 0 to {len(parent) - 1}")
    children = (parent == node).nonzero()[:, 0].tolist()
    states = [one_by_one(tree, x, parent, child) for child in children]
    nothing = x.new_zeros(0, tree.hidden_size)
    h, c = (torch.cat([nothing, *part]) for part in zip(*states, strict=True)) if states else (nothing, nothing)
    return tree.step(x[node : node + 1], (h, c), torch.zeros(len(children), dtype=torch.long))


class TreeTagger(nn.Module):
    """A label for each node of a tree: an embedding of V tokens, a TreeLSTM, and a linear layer with O labels."""

    @checked
    def __init__(self, V: Plural, D: Positive, H: Positive, O: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = embedding_(nn.Embedding(V, D), generator=generator)
        self.tree_lstm = TreeLSTM(D, H, forget_bias=1.0, generator=generator)
        self.readout = linear_(nn.Linear(H, O), generator)

    @checked
    def forward(
        self, tokens: Tokens["N", "self.embed.num_embeddings"], parent: Int[Tensor, "N"]
    ) -> Float[Tensor, "N O"]:
        """Logits of the labels of each node."""
        return self.readout(self.tree_lstm(self.embed(tokens), parent)[0])


class ChainTagger(nn.Module):
    """The baseline: a label for each token of a sequence, the same parts with an LSTM from left to right."""

    @checked
    def __init__(self, V: Plural, D: Positive, H: Positive, O: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = embedding_(nn.Embedding(V, D), generator=generator)
        self.lstm = LSTM(D, H, forget_bias=1.0, generator=generator)
        self.readout = linear_(nn.Linear(H, O), generator)

    @checked
    def forward(self, tokens: Tokens["B T", "self.embed.num_embeddings"], mask: Mask["B T"]) -> Float[Tensor, "B T O"]:
        """Logits of the labels of each token."""
        return self.readout(self.lstm(self.embed(tokens), mask=mask)[0])
