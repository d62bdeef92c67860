"""A summary of a node from those of its children: chains are LSTMs, and a forest at once is node by node."""

import pytest
import torch
from benchmarks.twin import twin
from torch import nn

from attend.gating.lstm import LSTM
from attend.gating.tree_lstm import ChainTagger, TreeLSTM, TreeTagger, heights, one_by_one

# Two trees: 0 has 1 and 2, 2 has 3, 4 and 5; 6 has 7; and 8 stands alone.
PARENT = torch.tensor([-1, 0, 0, 2, 2, 2, -1, 6, -1])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def unit(D=3, H=4):
    made = TreeLSTM(D, H, generator=seeded())
    made.from_input.bias.data.uniform_(-1, 1, generator=seeded(1))
    return made


def inputs(count, seed=2):
    return torch.randn(count, 3, generator=seeded(seed)).requires_grad_()


def test_heights_by_hand():
    assert heights(PARENT).tolist() == [2, 0, 1, 0, 0, 0, 1, 0, 0]
    assert heights(torch.tensor([1, 2, 3, -1])).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("parent", [[1, 0], [-1, 2, 3, 1], [0]])
def test_circles_are_refused(parent):
    with pytest.raises(ValueError, match=r"parent: got .*circle"):
        heights(torch.tensor(parent))


@pytest.mark.parametrize("parent", [[-1, 2], [-2]])
def test_parents_that_are_no_nodes_are_refused(parent):
    with pytest.raises(ValueError, match="parent: got"):
        heights(torch.tensor(parent))


def test_a_tree_that_is_a_chain_is_an_lstm_ours_and_torchs_in_value_and_gradient():
    tree, x = unit(), inputs(6)
    chain = LSTM(3, 4)
    chain.load_state_dict(tree.state_dict())
    theirs = twin(nn.LSTM, tree.from_input.weight, tree.from_hidden.weight, tree.from_input.bias)
    h, c = tree(x, torch.tensor([1, 2, 3, 4, 5, -1]))
    wanted, last = chain(x[None])
    of_torch, (_, cell) = theirs(x[None])
    torch.testing.assert_close(h, wanted[0])
    torch.testing.assert_close(h, of_torch[0])
    torch.testing.assert_close(c[-1:], last[1])
    torch.testing.assert_close(c[-1:], cell[0])
    weights = torch.randn(6, 4, generator=seeded(3))
    mine = torch.autograd.grad((h * weights).sum(), [x, *tree.parameters()])
    ours = torch.autograd.grad((wanted[0] * weights).sum(), [x, *chain.parameters()])
    for one, other in zip(mine, ours, strict=True):
        torch.testing.assert_close(one, other)


def test_all_heights_at_once_is_node_by_node_in_value_and_gradient():
    tree, x = unit(), inputs(len(PARENT))
    together = tree(x, PARENT)
    alone = [one_by_one(tree, x, PARENT, node) for node in range(len(PARENT))]
    for one, other in zip(together, zip(*alone, strict=True), strict=True):
        torch.testing.assert_close(one, torch.cat(other))
    weights = torch.randn(len(PARENT), 4, generator=seeded(3))
    mine = torch.autograd.grad((together[0] * weights).sum(), [x, *tree.parameters()])
    slow = torch.cat([h for h, _ in alone])
    for one, other in zip(mine, torch.autograd.grad((slow * weights).sum(), [x, *tree.parameters()]), strict=True):
        torch.testing.assert_close(one, other)


def test_the_order_of_the_nodes_in_the_tensor_does_not_matter():
    tree, x = unit(), inputs(len(PARENT))
    order = torch.randperm(len(PARENT), generator=seeded(4))
    place = order.argsort()
    moved = torch.tensor([-1 if p < 0 else int(place[p]) for p in PARENT[order].tolist()])
    torch.testing.assert_close(tree(x[order], moved)[0], tree(x, PARENT)[0][order])


def test_equations_by_hand_with_one_forget_gate_for_each_child():
    tree, x = unit(), inputs(1)
    kids_h, kids_c = torch.randn(2, 4, generator=seeded(5)), torch.randn(2, 4, generator=seeded(6))
    h, c = tree.step(x, (kids_h, kids_c), torch.tensor([0, 0]))
    i, _, g, o = (
        x @ tree.from_input.weight.T + kids_h.sum(0) @ tree.from_hidden.weight.T + tree.from_input.bias
    ).chunk(4, dim=1)
    forget = [
        torch.sigmoid((x @ tree.from_input.weight.T + kid @ tree.from_hidden.weight.T + tree.from_input.bias)[:, 4:8])
        for kid in kids_h
    ]
    assert not torch.allclose(*forget)
    cell = torch.sigmoid(i) * torch.tanh(g) + forget[0] * kids_c[0] + forget[1] * kids_c[1]
    torch.testing.assert_close(c, cell)
    torch.testing.assert_close(h, torch.sigmoid(o) * torch.tanh(cell))


def test_only_what_hangs_below_a_node_reaches_it():
    tree, x = unit(), inputs(len(PARENT))
    h, _ = tree(x, PARENT)
    for node, below in {0: {0, 1, 2, 3, 4, 5}, 2: {2, 3, 4, 5}, 6: {6, 7}, 8: {8}, 3: {3}}.items():
        (slope,) = torch.autograd.grad(h[node].sum(), x, retain_graph=True)
        assert set(slope.abs().sum(1).nonzero()[:, 0].tolist()) == below


def test_children_have_no_order():
    tree, x = unit(), inputs(3)
    turned = x[[0, 2, 1]]
    parent = torch.tensor([-1, 0, 0])
    torch.testing.assert_close(tree(x, parent)[0][0], tree(turned, parent)[0][0])


def test_readers_answer_everywhere():
    tokens = torch.tensor([3, 1, 2, 0])
    assert TreeTagger(5, 3, 4, 6, seeded())(tokens, torch.tensor([-1, 0, 0, -1])).shape == (4, 6)
    mask = torch.tensor([[True] * 4])
    assert ChainTagger(5, 3, 4, 6, seeded())(tokens[None], mask).shape == (1, 4, 6)


def test_parts_that_do_not_fit_are_refused():
    tree = unit()
    with pytest.raises(ValueError, match=r"x: got .*N, 3"):
        tree(torch.ones(2, 5), torch.tensor([-1, 0]))
    with pytest.raises(ValueError, match="node: got 9"):
        one_by_one(tree, torch.ones(9, 3), PARENT, 9)


def calls():
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
    TREE = TreeLSTM(2, 3)
    PARENT = torch.tensor([-1, 0, 0])
    CODES = torch.tensor([1, 2, 4])
    TREE_TAGGER = TreeTagger(5, 2, 3, 4)
    CHAIN_TAGGER = ChainTagger(5, 2, 3, 4)
    return {
        heights: {"parent": PARENT},
        TreeLSTM: {"input_size": 2, "hidden_size": 3, "forget_bias": 1.0, "generator": torch.Generator()},
        TREE.forward: {"x": torch.ones(3, 2), "parent": PARENT},
        one_by_one: {"tree": TREE, "x": torch.ones(3, 2), "parent": PARENT, "node": 0},
        TreeTagger: {"V": 5, "D": 2, "H": 3, "O": 4, "generator": torch.Generator()},
        TREE_TAGGER.forward: {"tokens": CODES, "parent": PARENT},
        ChainTagger: {"V": 5, "D": 2, "H": 3, "O": 4, "generator": torch.Generator()},
        CHAIN_TAGGER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    }


def good():
    return {
        one_by_one: {"node": {"zero"}},
    }
