"""Graph LSTM: nodes take their turns, and each looks at all neighbours, through one forget gate for each of them.

Source   Liang et al. 2016, Semantic object parsing with graph LSTM, arXiv:1603.07063.
Departs  h = o ⊙ tanh(c), as in our LSTM; several passes share their weights.
Agrees   a loop over single nodes and neighbours, and our LSTM where each node sees only the node before it, in values
         and gradients (tests/gating/test_graph_lstm.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.core.types import Finite, Plural, Positive

State = tuple[Tensor, Tensor]


class GraphGates(NamedTuple):
    """`input`, `forget` (of the node's own cell) and `output` gate and the `candidate`, all (B, H), and one forget gate
    for each neighbour, `forget_neighbours` (B, K, H)."""

    input: Float[Tensor, "B H"]
    forget: Float[Tensor, "B H"]
    candidate: Float[Tensor, "B H"]
    output: Float[Tensor, "B H"]
    forget_neighbours: Float[Tensor, "B K H"]


class GraphLSTM(nn.Module):
    """One Graph LSTM layer: each node's cell is a mean over its neighbours' cells, its own, and what it writes.

        i, g, o from W x + U h + V h̄ + b         h̄ is the mean of the neighbours' h
        f = σ(W_f x + U_f h + b_f)               forget gate of the node's own cell
        f_j = σ(W_f x + V_f h_j + b_f)           forget gate of neighbour j, with the same W_f and b_f
        c' = mean_j f_j ⊙ c_j + f ⊙ c + i ⊙ g,  h' = o ⊙ tanh(c')

    The parts are stacked in our LSTM's order: input, forget, candidate, output. W starts uniform in
    ±√(6 / (input_size + hidden_size)), each block of U and V as a random orthogonal matrix, b at zero except the forget
    gates', which is `forget_bias`. `generator` makes the draw repeatable. Raises ValueError for sizes that are not
    positive and for a bias that is not finite.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        forget_bias: Finite = 0.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.forget_bias = input_size, hidden_size, forget_bias
        self.from_input = nn.Linear(input_size, 4 * hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, 4 * hidden_size, bias=False)  # U
        self.from_neighbours = nn.Linear(hidden_size, 4 * hidden_size, bias=False)  # V
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        H, bound = self.hidden_size, (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        for block in (*self.from_hidden.weight.chunk(4), *self.from_neighbours.weight.chunk(4)):
            nn.init.orthogonal_(block, generator=generator)
        nn.init.zeros_(self.from_input.bias)
        self.from_input.bias[H : 2 * H] = self.forget_bias

    def gates(self, x: Tensor, h: Tensor, others: Tensor, share: Tensor) -> GraphGates:
        """What a node decides, by name, from W x + b (B, 4H), its own h (B, H), and its neighbours' h (B, K, H).

        `share` (B, K, 1) is 1 / (number of neighbours), and 0 where there is none.
        """
        V_i, V_f, V_g, V_o = self.from_neighbours.weight.chunk(4)
        mean = (share * others).sum(dim=1)  # (B, H)
        i, f, g, o = (x + self.from_hidden(h)).chunk(4, dim=1)
        each = x.chunk(4, dim=1)[1][:, None] + others @ V_f.T  # (B, K, H)
        return GraphGates(
            torch.sigmoid(i + mean @ V_i.T),
            torch.sigmoid(f),
            torch.tanh(g + mean @ V_g.T),
            torch.sigmoid(o + mean @ V_o.T),
            torch.sigmoid(each),
        )

    def step(self, x: Tensor, state: State, others: State, share: Tensor) -> State:
        """One node's turn in each of B graphs: its new h and c, from W x + b, its state and its neighbours' states."""
        (h, c), (others_h, others_c) = state, others
        i, f, g, o, f_j = self.gates(x, h, others_h, share)
        c = (share * f_j * others_c).sum(dim=1) + f * c + i * g
        return o * torch.tanh(c), c

    @checked
    def forward(
        self,
        x: Float[Tensor, "B N {self.input_size}"],
        neighbours: Int[Tensor, "B N K"],
        order: Int[Tensor, "B N"],
        passes: Positive = 1,
    ) -> Float[Tensor, "B N H"]:
        """All N nodes take their turns, `passes` times: the hidden states (B, N, H).

        `neighbours` holds the numbers of each node's neighbours, and -1 where there is none; `order` says which node
        comes first, second, … in each graph. A node hears what its neighbours hold at that moment: of those that had
        their turn, the new state; of the others, the last (0 in the first pass).
        Raises ValueError for a neighbour that is no node, and for an order that does not name each node once.
        """
        (B, N, K), H = neighbours.shape, self.hidden_size
        known = bool((neighbours >= -1).all() and (neighbours < N).all())
        expect(known, "neighbours", neighbours, f"numbers of nodes, 0 to {N - 1}, or -1 for none")
        once = bool((order.sort(dim=1).values == torch.arange(N, device=order.device)).all())
        expect(once, "order", order, f"each node 0 to {N - 1} once")
        turn = order.argsort(dim=1)  # from here on a node's number is its turn
        inputs = self.from_input(x.gather(1, _wide(order, self.input_size)))  # (B, N, 4H)
        neighbours = neighbours.gather(1, _wide(order, K))
        there = neighbours >= 0
        share = (there / there.sum(dim=2, keepdim=True, dtype=x.dtype).clamp(min=1)).unsqueeze(3)  # (B, N, K, 1)
        near = turn.gather(1, neighbours.clamp(min=0).flatten(1)).view(B, N, K)
        state = x.new_zeros(B, N, 2 * H)  # h and c side by side
        for t in list(range(N)) * passes:
            others = state.gather(1, _wide(near[:, t], 2 * H)).chunk(2, dim=2)
            new = self.step(inputs[:, t], state[:, t].chunk(2, dim=1), others, share[:, t])
            state = state.select_scatter(torch.cat(new, dim=1), 1, t)
        return state[..., :H].gather(1, _wide(turn, H))


def _wide(numbers: Tensor, width: int) -> Tensor:
    return numbers.unsqueeze(-1).expand(*numbers.shape, width)


class NodeTagger(nn.Module):
    """A label for each node of a graph: a GraphLSTM and a linear layer on each node's last hidden state."""

    @checked
    def __init__(
        self,
        D: Positive,
        H: Positive,
        classes: Plural,
        passes: Positive = 2,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.passes = passes
        self.graph_lstm = GraphLSTM(D, H, generator=generator)
        self.readout = linear_(nn.Linear(H, classes), generator)

    @checked
    def forward(
        self, x: Float[Tensor, "B N D"], neighbours: Int[Tensor, "B N K"], order: Int[Tensor, "B N"]
    ) -> Float[Tensor, "B N C"]:
        """Class scores of each node."""
        return self.readout(self.graph_lstm(x, neighbours, order, self.passes))


@checked
def by_confidence(scores: Float[Tensor, "B N C"], mask: Bool[Tensor, "B N"]) -> Int[Tensor, "B N"]:
    """The order of Liang et al.: the node whose own best guess has the largest probability comes first.

    `scores` are log-odds of the classes that a node gets on its own. Places that are not `mask` come last.
    """
    sure = scores.softmax(-1).amax(-1).masked_fill(~mask, -1)
    return sure.argsort(dim=1, descending=True, stable=True)
