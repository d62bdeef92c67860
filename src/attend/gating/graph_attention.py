"""Graph attention: each node reads its neighbours, and nobody else, through weights that it gives them itself.

Source   Veličković et al. 2018, Graph attention networks, arXiv:1710.10903; the score of Brody, Alon & Yahav 2022, How
         attentive are graph attention networks?, arXiv:2105.14491, eq. 7; lecture sankaran2019part4.
Departs  one head; a node's own state enters through a matrix of its own, not as one of its neighbours.
Agrees   a loop over nodes and neighbours, in values and gradients (tests/gating/test_graph_attention.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Plural, Positive


class GraphAttention(nn.Module):
    """One round of message passing: every node is updated at once, from itself and a weighted mean of its neighbours.

        e_vu = a · LeakyReLU(Q h_v + K h_u)    score of neighbour u, for the edges alone
        α_vu = softmax over the neighbours u of v
        h'_v = tanh(W h_v + b + Σ_u α_vu V h_u)

    `edges` (B, N, N) is boolean: edges[b, v, u] is True where v may read u. A node without neighbours reads nothing.
    Raises ValueError for sizes that are not positive.
    """

    @checked
    def __init__(self, hidden_size: Positive, score_size: Positive = 8):
        super().__init__()
        self.own = nn.Linear(hidden_size, hidden_size)  # W, b
        self.message = nn.Linear(hidden_size, hidden_size, bias=False)  # V
        self.query = nn.Linear(hidden_size, score_size)  # Q, q
        self.key = nn.Linear(hidden_size, score_size, bias=False)  # K
        self.score = nn.Linear(score_size, 1, bias=False)  # a

    def weights(self, h: Tensor, edges: Tensor) -> Tensor:
        """How each node shares out its reading (B, N, N): rows add up to 1, or to 0 where nobody is near."""
        pairs = self.query(h)[:, :, None] + self.key(h)[:, None, :]  # (B, N, N, score_size)
        scores = self.score(F.leaky_relu(pairs, 0.2)).squeeze(3)  # (B, N, N)
        scores = scores.masked_fill(~edges, -torch.inf)  # along edges only
        return torch.nan_to_num(scores.softmax(dim=2))  # alone: nothing to read

    @checked
    def forward(
        self, h: Float[Tensor, "B N {self.own.in_features}"], edges: Bool[Tensor, "B N N"]
    ) -> Float[Tensor, "B N H"]:
        """The new states of all nodes (B, N, hidden_size), from the old ones."""
        messages = self.weights(h, edges) @ self.message(h)  # (B, N, H)
        return torch.tanh(self.own(h) + messages)


class GraphTagger(nn.Module):
    """Logits for each node of a graph: what a node knows of itself, then `rounds` of one layer, and a linear head."""

    @checked
    def __init__(
        self, input_size: Positive, layer: nn.Module, hidden_size: Positive, classes: Plural, rounds: NonNegative
    ):
        super().__init__()
        self.embed = nn.Linear(input_size, hidden_size)
        self.layer = layer
        self.head = nn.Linear(hidden_size, classes)
        self.rounds = rounds

    @checked
    def forward(
        self, x: Float[Tensor, "B N {self.embed.in_features}"], edges: Bool[Tensor, "B N N"]
    ) -> Float[Tensor, "B N C"]:
        """Class scores of each node."""
        h = torch.tanh(self.embed(x))  # (B, N, H)
        for _ in range(self.rounds):  # every round carries news one edge further
            h = self.layer(h, edges)
        return self.head(h)


@checked
def edges_of(neighbours: Int[Tensor, "B N K"]) -> Bool[Tensor, "B N N"]:
    """Lists of neighbours, -1 where there is none, as a table: True where node v has the neighbour u.

    Raises ValueError for a neighbour that is no node.
    """
    B, N, _ = neighbours.shape
    known = bool((neighbours >= -1).all() and (neighbours < N).all())
    expect(known, "neighbours", neighbours, f"numbers of nodes, 0 to {N - 1}, or -1 for none")
    edges = torch.zeros(B, N, N + 1, dtype=torch.bool, device=neighbours.device)
    edges.scatter_(2, neighbours % (N + 1), True)  # -1 goes to a column of its own
    return edges[:, :, :N]
