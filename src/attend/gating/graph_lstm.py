"""Graph LSTM: nodes take their turns, and each looks at all neighbours, through one forget gate for each of them.

Source   Liang et al. 2016, Semantic object parsing with graph LSTM, arXiv:1603.07063.
Departs  a node shows o ⊙ tanh(c), as in our LSTM; several passes share their weights.
Agrees   a loop over single nodes and neighbours, and our LSTM where each node sees only the node before it, in values
         and gradients (tests/gating/test_graph_lstm.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.gating.lstm import LSTMState
from attend.memory.supervision import Readout


class GraphGates(NamedTuple):
    """What one node decides: `input`, `forget` of its own cell, `update`, `output`, all (B, H), and one forget gate
    for each neighbour, `forget_neighbours` (B, K, H)."""

    input: Float[Tensor, "B H"]
    forget: Float[Tensor, "B H"]
    update: Float[Tensor, "B H"]
    output: Float[Tensor, "B H"]
    forget_neighbours: Float[Tensor, "B K H"]


class GraphLSTM(nn.Module):
    """The unit c = mean of f_j ⊙ c_j over the neighbours j + f ⊙ c_own + i ⊙ g, h = o ⊙ tanh(c).

    i, o and the update g come from W x + U h_own + V h̄ + b, where h̄ is the mean of the neighbours' h. The node's own
    forget gate is σ(W x + U h_own + b); that of a neighbour is σ(W x + V h_j + b) with the same W and b, so that what
    tells two neighbours apart is what they say. The weights stand on top of each other in our LSTM's order, input,
    forget, update, output: W (4H, D), U (4H, H), V (4H, H), b (4H). At the start W is uniform in ±√(6 / (D + H)), each
    block of U and V is a random orthogonal matrix, and b is zero, except the forget gates', which is `forget_bias`.
    `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive whole numbers.
    """

    @checked
    def __init__(self, D: int, H: int, forget_bias: float = 0.0, generator: torch.Generator | None = None):
        expect(D > 0, "D", D, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        expect(abs(forget_bias) < float("inf"), "forget_bias", forget_bias, "a finite number")
        super().__init__()
        self.D, self.H = D, H
        bound = (6 / (D + H)) ** 0.5
        self.W = nn.Parameter(torch.empty(4 * H, D).uniform_(-bound, bound, generator=generator))
        self.U = nn.Parameter(_rotations(H, generator))
        self.V = nn.Parameter(_rotations(H, generator))
        self.b = nn.Parameter(torch.zeros(4 * H))
        self.b.data[H : 2 * H] = forget_bias

    @checked
    def start(self, batch: int, nodes: int) -> LSTMState:
        """Nothing said yet: h = c = 0 for each node, (batch, nodes, H)."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        expect(nodes > 0, "nodes", nodes, "a positive whole number")
        nothing = self.U.new_zeros(batch, nodes, self.H)
        return LSTMState(nothing, nothing)

    @checked
    def gates(
        self,
        x: Float[Tensor, "B D"],
        h: Float[Tensor, "B H"],
        others: Float[Tensor, "B K H"],
        there: Bool[Tensor, "B K"],
    ) -> GraphGates:
        """What a node decides, by name, from its input, its own h and its neighbours' h; `there` says which exist."""
        expect(x.shape[-1] == self.D, "x", x, f"inputs of this unit's width D = {self.D}")
        expect(h.shape[-1] == self.H, "h", h, f"summaries of this unit's width H = {self.H}")
        return self._gates(x @ self.W.T + self.b, h, others, _weights(there, x.dtype))

    @checked
    def forward(
        self, x: Float[Tensor, "B D"], state: LSTMState, others: LSTMState, there: Bool[Tensor, "B K"]
    ) -> tuple[Float[Tensor, "B H"], LSTMState]:
        """One node's turn in each of B graphs: what it shows (B, H), and its new state.

        `state` holds its own h and cell (B, H), `others` those of up to K neighbours (B, K, H).
        """
        gates = self.gates(x, state.h, others.h, there)
        new = _turn(gates, state.cell, others.cell, _weights(there, x.dtype))
        return new.h, new

    @checked
    def nodes(
        self,
        x: Float[Tensor, "B N D"],
        neighbours: Int[Tensor, "B N K"],
        order: Int[Tensor, "B N"],
        passes: int = 1,
    ) -> Float[Tensor, "B N H"]:
        """All N nodes take their turns, `passes` times: the summaries (B, N, H).

        `neighbours` holds the numbers of each node's neighbours, and -1 where there is none; `order` says which node
        comes first, second, … in each graph. A node sees what its neighbours say at that moment: of those that had
        their turn, the new word; of the others, the last (0 in the first pass).
        Raises ValueError for a neighbour that is no node, and for an order that does not name each node once.
        """
        self._fits(x, neighbours, order)
        expect(passes > 0, "passes", passes, "a positive whole number")
        B, N, K = neighbours.shape
        place = order.argsort(dim=1)  # from here on a node's number is its turn
        inputs = x.gather(1, _wide(order, self.D)) @ self.W.T + self.b
        turns = neighbours.gather(1, _wide(order, K))
        weight = _weights(turns >= 0, x.dtype)
        turns = place.gather(1, turns.clamp(min=0).flatten(1)).view(B, N, K)
        state = torch.cat(self.start(B, N), dim=2)  # h and cell side by side
        for t in list(range(N)) * passes:
            near = state.gather(1, _wide(turns[:, t], 2 * self.H))
            others = LSTMState(*near.chunk(2, dim=2))
            h, cell = state[:, t].chunk(2, dim=1)
            gates = self._gates(inputs[:, t], h, others.h, weight[:, t])
            new = _turn(gates, cell, others.cell, weight[:, t])
            state = state.select_scatter(torch.cat(new, dim=1), 1, t)
        return state[..., : self.H].gather(1, _wide(place, self.H))

    def _fits(self, x: Tensor, neighbours: Tensor, order: Tensor) -> None:
        N = x.shape[1]
        expect(x.shape[-1] == self.D, "x", x, f"inputs of this unit's width D = {self.D}")
        known = bool((neighbours >= -1).all() and (neighbours < N).all())
        expect(known, "neighbours", neighbours, f"numbers of nodes, 0 to {N - 1}, or -1 for none")
        expect(
            bool((order.sort(dim=1).values == torch.arange(N)).all()), "order", order, f"each node 0 to {N - 1} once"
        )

    def _gates(self, inputs: Tensor, h: Tensor, others: Tensor, weight: Tensor) -> GraphGates:
        H = self.H
        own = inputs + h @ self.U.T
        said = _mean(others, weight) @ torch.cat((self.V[:H], self.V[2 * H :])).T
        i, g, o = (torch.cat((own[:, :H], own[:, 2 * H :]), dim=1) + said).chunk(3, dim=1)
        each = inputs[:, None, H : 2 * H] + others @ self.V[H : 2 * H].T
        return GraphGates(
            torch.sigmoid(i), torch.sigmoid(own[:, H : 2 * H]), torch.tanh(g), torch.sigmoid(o), torch.sigmoid(each)
        )


class NodeTagger(nn.Module):
    """A label for each node of a graph: a GraphLSTM and a readout of what each node shows at the end."""

    @checked
    def __init__(
        self,
        D: int,
        H: int,
        classes: int,
        passes: int = 2,
        generator: torch.Generator | None = None,
    ):
        expect(classes > 1, "classes", classes, "at least two classes")
        expect(passes > 0, "passes", passes, "a positive whole number")
        super().__init__()
        self.passes = passes
        self.unit = GraphLSTM(D, H, generator=generator)
        self.readout = Readout(H, classes, generator)

    @checked
    def forward(
        self, x: Float[Tensor, "B N D"], neighbours: Int[Tensor, "B N K"], order: Int[Tensor, "B N"]
    ) -> Float[Tensor, "B N C"]:
        """Class scores of each node."""
        return self.readout(self.unit.nodes(x, neighbours, order, self.passes))


@checked
def by_confidence(scores: Float[Tensor, "B N C"], mask: Bool[Tensor, "B N"]) -> Int[Tensor, "B N"]:
    """The order of Liang et al.: the node whose own best guess has the largest probability comes first.

    `scores` are log-odds of the classes that a node gets on its own. Places that are not `mask` come last.
    """
    sure = scores.softmax(-1).amax(-1).masked_fill(~mask, -1)
    return sure.argsort(dim=1, descending=True, stable=True)


def _turn(gates: GraphGates, cell: Tensor, others: Tensor, weight: Tensor) -> LSTMState:
    cell = _mean(gates.forget_neighbours * others, weight) + gates.forget * cell + gates.input * gates.update
    return LSTMState(gates.output * torch.tanh(cell), cell)


def _weights(there: Tensor, dtype: torch.dtype) -> Tensor:
    """1 / (number of neighbours) for each neighbour that exists, 0 for the others; (…, K, 1)."""
    return (there / there.sum(-1, keepdim=True, dtype=dtype).clamp(min=1)).unsqueeze(-1)


def _mean(others: Tensor, weight: Tensor) -> Tensor:
    """The mean over the neighbours that exist, (B, K, H) to (B, H); 0 for a node without any."""
    return (weight * others).sum(1)


def _wide(numbers: Tensor, width: int) -> Tensor:
    return numbers.unsqueeze(-1).expand(*numbers.shape, width)


def _rotations(H: int, generator: torch.Generator | None) -> Tensor:
    return torch.cat([nn.init.orthogonal_(torch.empty(H, H), generator=generator) for _ in range(4)])
