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
from attend.core.types import Finite, Mask, NonNegative, Plural, Positive, Tokens
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
    child = (parent != -1).nonzero()[:, 0]
    for _ in range(N):
        higher = height.scatter_reduce(0, parent[child], height[child] + 1, "amax")
        if torch.equal(higher, height):
            return height
        height = higher
    raise ValueError(f"parent: got a tensor of shape ({N},) with a circle, expected trees")


class TreeLSTM(nn.Module):
    """One child-sum Tree-LSTM layer. A node with one child is a step of `LSTM`, whose weights these are.

        i, o = σ(W x + U Σ_k h_k + b)    input and output gate see the sum of the children's hidden states
        f_k = σ(W x + U h_k + b)         forget gate of child k, which sees that child alone
        g = tanh(W x + U Σ_k h_k + b)    candidate
        c = Σ_k f_k ⊙ c_k + i ⊙ g        cell state
        h = o ⊙ tanh(c)                  hidden state

    The parts are stacked in PyTorch's order: input, forget, candidate, output. W starts uniform in
    ±√(6 / (input_size + hidden_size)), each block of U as a random orthogonal matrix, b at zero except the forget
    gates', which is `forget_bias`. `generator` makes the draw repeatable. Raises ValueError for sizes that are not
    positive and for a bias that is not finite.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        forget_bias: Finite = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.forget_bias = input_size, hidden_size, forget_bias
        self.from_input = nn.Linear(input_size, 4 * hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, 4 * hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        H, bound = self.hidden_size, (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        for block in self.from_hidden.weight.chunk(4):
            nn.init.orthogonal_(block, generator=generator)
        nn.init.zeros_(self.from_input.bias)
        self.from_input.bias[H : 2 * H] = self.forget_bias

    def step(self, x: Tensor, children: tuple[Tensor, Tensor], parent: Tensor) -> tuple[Tensor, Tensor]:
        """The states of N nodes, from x (N, input_size), their C children's h and c (C, H), and each child's parent."""
        h, c = children  # (C, H): all children of all N nodes
        x_i, x_f, x_g, x_o = self.from_input(x).chunk(4, dim=1)  # each (N, H)
        U_i, U_f, U_g, U_o = self.from_hidden.weight.chunk(4)
        h_sum = torch.zeros_like(x_i).index_add(0, parent, h)  # (N, H)
        i = torch.sigmoid(x_i + h_sum @ U_i.T)
        f = torch.sigmoid(x_f[parent] + h @ U_f.T)  # (C, H): one for each child
        g = torch.tanh(x_g + h_sum @ U_g.T)
        o = torch.sigmoid(x_o + h_sum @ U_o.T)
        c = (i * g).index_add(0, parent, f * c)  # (N, H)
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
        child, place = (parent != -1).nonzero()[:, 0], torch.zeros_like(parent)
        for level in range(int(height.max()) + 1):
            nodes = (height == level).nonzero()[:, 0]  # all nodes of this height
            # place[v]: the row of node v in this step
            place[nodes] = torch.arange(len(nodes), device=nodes.device)
            # all nodes whose parent is computed in this step
            children = child[height[parent[child]] == level]
            state = h[children], c[children]
            new_h, new_c = self.step(x[nodes], state, place[parent[children]])
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
