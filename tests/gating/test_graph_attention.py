"""Attention over neighbours beside a loop over nodes, its own claims, and what it refuses."""

import pytest
import torch
from tests.agreement import agree

from attend.gating.graph_attention import GraphAttention, GraphTagger, edges_of

B, N, H = 2, 5, 3


def layer():
    torch.manual_seed(1)
    return GraphAttention(H, score_size=2).double()


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


EDGES = torch.rand(B, N, N, generator=torch.Generator().manual_seed(3)) < 0.5
EDGES[0, 2], EDGES[1, 0] = False, True


def by_hand(made, h, edges):
    """One graph, node by node and neighbour by neighbour."""
    new = []
    for v in range(N):
        near = [u for u in range(N) if edges[v, u]]
        total = made.own(h[v])
        if near:
            scores = [made.score(torch.nn.functional.leaky_relu(made.query(h[v]) + made.key(h[u]), 0.2)) for u in near]
            shares = torch.stack(scores).softmax(dim=0)
            total = total + sum(share * made.message(h[u]) for share, u in zip(shares, near, strict=True))
        new.append(torch.tanh(total))
    return torch.stack(new)


def test_a_loop_over_nodes_gives_the_same_values_and_gradients():
    made, h = layer(), draw(B, N, H).requires_grad_()
    wanted = torch.stack([by_hand(made, h[b], EDGES[b]) for b in range(B)])
    agree(made(h, EDGES), wanted, [h, *made.parameters()], rtol=0, atol=1e-12)


def test_weights_add_up_to_one_along_edges_and_to_nothing_where_there_are_none():
    weights = layer().weights(draw(B, N, H), EDGES)
    assert (weights[~EDGES] == 0).all()
    torch.testing.assert_close(weights.sum(dim=2), EDGES.any(dim=2).double())


def test_news_travels_one_edge_a_round():
    path = torch.zeros(1, N, N, dtype=torch.bool)
    for n in range(N - 1):
        path[0, n, n + 1] = path[0, n + 1, n] = True
    torch.manual_seed(0)
    for rounds in (0, 1, 3):
        x = draw(1, N, 4).float().requires_grad_()
        logits = GraphTagger(4, GraphAttention(H), H, 2, rounds)(x, path)
        (moved,) = torch.autograd.grad(logits[0, 0].sum(), x)
        assert (moved[0].abs().sum(dim=1) > 0).tolist() == [n <= rounds for n in range(N)]


def test_the_numbers_of_the_nodes_do_not_matter():
    made, h, order = layer(), draw(B, N, H), torch.tensor([2, 0, 4, 1, 3])
    torch.testing.assert_close(made(h[:, order], EDGES[:, order][:, :, order]), made(h, EDGES)[:, order])


def test_edges_of_lists_of_neighbours():
    neighbours = torch.tensor([[[1, 2], [0, -1], [0, -1], [-1, -1]]])
    assert edges_of(neighbours)[0].nonzero().tolist() == [[0, 1], [0, 2], [1, 0], [2, 0]]
    with pytest.raises(ValueError, match="neighbours: got"):
        edges_of(neighbours + 2)


def good():
    return {GraphTagger: {"rounds": {"zero"}}}


def calls():
    made = GraphAttention(3)
    tagger = GraphTagger(4, GraphAttention(3), 3, 2, 1)
    edges = torch.ones(2, 5, 5, dtype=torch.bool)
    return {
        GraphAttention: {"hidden_size": 3, "score_size": 2},
        made.forward: {"h": torch.ones(2, 5, 3), "edges": edges},
        GraphTagger: {"input_size": 4, "layer": made, "hidden_size": 3, "classes": 2, "rounds": 1},
        tagger.forward: {"x": torch.ones(2, 5, 4), "edges": edges},
        edges_of: {"neighbours": torch.tensor([[[1], [0], [-1]]])},
    }
