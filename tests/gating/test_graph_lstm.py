"""The graph LSTM beside a loop over nodes and neighbours, beside our LSTM, its own claims, and what it refuses."""

import pytest
import torch
from tests.agreement import agree

from attend.gating.graph_lstm import GraphLSTM, NodeTagger, by_confidence
from attend.gating.lstm import LSTM

B, N, K, D, H = 2, 5, 3, 4, 3
EDGES = [[(0, 1), (1, 2), (2, 3), (3, 0), (1, 4)], [(0, 4), (4, 2), (2, 0), (3, 4)]]
ORDER = torch.tensor([[3, 1, 4, 0, 2], [2, 0, 1, 4, 3]])


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def table(edges, nodes, width):
    """The neighbours of each node from a list of edges, -1 where there is none."""
    rows = [sorted({b for a, b in edges if a == n} | {a for a, b in edges if b == n}) for n in range(nodes)]
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows])


NEIGHBOURS = torch.stack([table(edges, N, K) for edges in EDGES])


@pytest.fixture
def unit():
    unit = GraphLSTM(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.from_input.bias.copy_(draw(4 * H, seed=2))
    return unit


def by_hand(unit, x, edges, order, passes):
    """One graph, node by node and neighbour by neighbour, with the equations written out."""
    W, U, V, b = (
        [*p.split(H)]
        for p in (unit.from_input.weight, unit.from_hidden.weight, unit.from_neighbours.weight, unit.from_input.bias)
    )
    nothing = torch.zeros(H).double()
    h, c = dict.fromkeys(range(N), nothing), dict.fromkeys(range(N), nothing)
    for node in list(order) * passes:
        near = [m for edge in edges for m in edge if node in edge and m != node]
        mean = sum((h[m] for m in near), nothing) / max(len(near), 1)
        i, f, g, o = (W[k] @ x[node] + U[k] @ h[node] + b[k] + (k != 1) * (V[k] @ mean) for k in range(4))
        kept = sum(((W[1] @ x[node] + V[1] @ h[m] + b[1]).sigmoid() * c[m] for m in near), nothing) / max(len(near), 1)
        c[node] = kept + f.sigmoid() * c[node] + i.sigmoid() * g.tanh()
        h[node] = o.sigmoid() * c[node].tanh()
    return torch.stack([h[n] for n in range(N)])


@pytest.mark.parametrize("passes", [1, 3])
def test_a_loop_over_nodes_gives_the_same_values_and_gradients(unit, passes):
    x = draw(B, N, D).requires_grad_()
    wanted = torch.stack([by_hand(unit, x[b], EDGES[b], ORDER[b].tolist(), passes) for b in range(B)])
    agree(unit(x, NEIGHBOURS, ORDER, passes), wanted, [x, *unit.parameters()], rtol=0, atol=1e-12)


def test_a_path_on_which_each_node_sees_the_one_before_is_our_lstm(unit):
    line = LSTM(D, H).double()
    with torch.no_grad():
        for ours, theirs in (
            (line.from_input.weight, unit.from_input.weight),
            (line.from_hidden.weight, unit.from_neighbours.weight),
            (line.from_input.bias, unit.from_input.bias),
        ):
            ours.copy_(theirs)
    before = torch.arange(-1, 6).view(1, 7, 1).expand(B, 7, 1)
    order = torch.arange(7).expand(B, 7)
    x, series = (draw(B, 7, D).requires_grad_() for _ in range(2))
    h, summaries = unit(x, before, order), line(series)[0]
    torch.testing.assert_close(h, summaries, rtol=0, atol=1e-12)
    weight = draw(B, 7, H, seed=3)
    (h * weight).sum().backward()
    (summaries * weight).sum().backward()
    for ours, theirs in (
        (x, series),
        (unit.from_input.weight, line.from_input.weight),
        (unit.from_neighbours.weight, line.from_hidden.weight),
        (unit.from_input.bias, line.from_input.bias),
    ):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=0, atol=1e-12)


def test_on_a_path_with_both_neighbours_one_pass_hears_only_those_whose_turn_came(unit):
    path = table([(n, n + 1) for n in range(6)], 7, 2)[None]
    x = draw(1, 7, D).requires_grad_()

    def heard(order, passes):
        h = unit(x, path, torch.tensor([order]), passes)
        return (torch.autograd.grad(h[0, 3].sum(), x)[0][0].abs().sum(-1) > 0).tolist()

    assert heard([0, 1, 2, 3, 4, 5, 6], 1) == [True] * 4 + [False] * 3
    assert heard([6, 5, 4, 3, 2, 1, 0], 1) == [False] * 3 + [True] * 4
    assert heard([3, 2, 4, 1, 5, 0, 6], 1) == [False] * 3 + [True] + [False] * 3
    assert heard([3, 2, 4, 1, 5, 0, 6], 2) == [False] * 2 + [True] * 3 + [False] * 2
    assert heard([0, 1, 2, 3, 4, 5, 6], 2) == [True] * 5 + [False] * 2


def test_gradcheck(unit):
    names = [name for name, _ in unit.named_parameters()]

    def run(x, *weights):
        weights = dict(zip(names, weights, strict=True))
        return torch.func.functional_call(unit, weights, (x, NEIGHBOURS[:1], ORDER[:1]))

    inputs = draw(1, N, D), *(p.detach().clone() for p in unit.parameters())
    assert torch.autograd.gradcheck(run, tuple(i.requires_grad_() for i in inputs))


def test_the_numbers_of_the_nodes_and_the_order_of_neighbours_do_not_matter(unit):
    x, new = draw(1, N, D), torch.tensor([2, 0, 4, 1, 3])  # node n is now called new[n]
    old = new.argsort()
    neighbours = NEIGHBOURS[:1, old]
    renamed = torch.where(neighbours >= 0, new[neighbours.clamp(min=0)], -1).flip(-1)
    there = unit(x[:, old], renamed, new[ORDER[:1]], 2)
    torch.testing.assert_close(there[:, new], unit(x, NEIGHBOURS[:1], ORDER[:1], 2), rtol=0, atol=1e-12)


def test_a_place_without_a_node_changes_nothing(unit):
    x = draw(1, N, D)
    longer = torch.cat((x, 100 * draw(1, 2, D)), 1)
    neighbours = torch.cat((NEIGHBOURS[:1], torch.full((1, 2, K), -1)), 1)
    order = torch.cat((ORDER[:1], torch.tensor([[5, 6]])), 1)
    h = unit(longer, neighbours, order, 2)[:, :N]
    torch.testing.assert_close(h, unit(x, NEIGHBOURS[:1], ORDER[:1], 2), rtol=0, atol=1e-12)


def test_a_shut_forget_gate_shuts_one_neighbour_out(unit):
    """Two neighbours that say opposite things: V opens the gate for the one and shuts it for the other."""
    with torch.no_grad():
        for p in unit.parameters():
            p.zero_()
        unit.from_neighbours.weight[H : 2 * H] = 80 * torch.eye(H)
        unit.from_input.bias[:H] = -80
    nothing, cells = torch.zeros(1, H).double(), draw(1, 2, H)
    others = torch.tensor([[[1.0] * H, [-1.0] * H]]).double(), cells
    share = torch.full((1, 2, 1), 0.5, dtype=torch.float64)
    _, cell = unit.step(unit.from_input(draw(1, D)), (nothing, nothing), others, share)
    torch.testing.assert_close(cell, cells[:, 0] / 2, rtol=0, atol=1e-12)


def test_the_surest_node_comes_first_and_what_is_not_there_last():
    scores = torch.tensor([[[0.0, 0], [0, 3], [9, 0], [-2, 0]]])
    mask = torch.tensor([[True, True, False, True]])
    assert by_confidence(scores, mask).tolist() == [[1, 3, 0, 2]]


def test_a_tagger_answers_for_each_node():
    tagger = NodeTagger(D, H, 3, passes=2, generator=torch.Generator().manual_seed(0)).double()
    x = draw(B, N, D)
    scores = tagger(x, NEIGHBOURS, ORDER)
    wanted = tagger.readout(tagger.graph_lstm(x, NEIGHBOURS, ORDER, 2))
    assert scores.shape == (B, N, 3)
    assert torch.equal(scores, wanted)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda u: u(draw(B, N, D + 1), NEIGHBOURS, ORDER), "x: got .*B, N, 4"),
        (lambda u: u(draw(B, N, D), NEIGHBOURS + 2, ORDER), "neighbours: got .*0 to 4, or -1"),
        (lambda u: u(draw(B, N, D), NEIGHBOURS - 1, ORDER), "neighbours: got .*0 to 4, or -1"),
        (lambda u: u(draw(B, N, D), NEIGHBOURS, ORDER * 0), "order: got .*each node 0 to 4 once"),
        (lambda u: u(draw(B, N, D), NEIGHBOURS, ORDER[:, 1:]), "order: got"),
        (lambda u: u(draw(B, N, D), NEIGHBOURS, ORDER, 0), "passes: got 0"),
        (lambda u: GraphLSTM(0, H), "input_size: got 0"),
        (lambda u: GraphLSTM(D, 0), "hidden_size: got 0"),
        (lambda u: NodeTagger(D, H, 1), "classes: got 1"),
        (lambda u: NodeTagger(D, H, 2, passes=0), "passes: got 0"),
    ],
)
def test_bad_input_is_refused_by_name(unit, call, named):
    with pytest.raises(ValueError, match=named):
        call(unit)


def calls():
    seed = torch.Generator().manual_seed(0)
    unit = GraphLSTM(3, 2, generator=seed)
    nodes = NodeTagger(3, 2, 4, generator=seed)
    graph = {
        "x": torch.linspace(-1, 1, 24).view(2, 4, 3),
        "neighbours": torch.tensor([[[1], [0], [3], [2]]] * 2),
        "order": torch.tensor([[2, 0, 1, 3]] * 2),
    }
    return {
        GraphLSTM: lambda: {"input_size": 3, "hidden_size": 2, "forget_bias": 1.0, "generator": torch.Generator()},
        unit.forward: graph | {"passes": 2},
        NodeTagger: lambda: {"D": 3, "H": 2, "classes": 4, "passes": 1, "generator": torch.Generator()},
        nodes.forward: graph,
        by_confidence: {"scores": torch.ones(2, 4, 3), "mask": torch.ones(2, 4, dtype=torch.bool)},
    }


def good():
    seed = torch.Generator().manual_seed(0)
    unit = GraphLSTM(3, 2, generator=seed)
    nodes = NodeTagger(3, 2, 4, generator=seed)
    return {
        GraphLSTM: {"forget_bias": {"zero", "negative"}},
        unit.forward: {"neighbours": {"width"}},
        nodes.forward: {"neighbours": {"width"}},
    }
