import pytest
import torch

from attend.gating.tree_lstm import TreeLSTM
from attend.recipes.trees import READERS, ListsRecipe, OneGate, lists_of_depth
from attend.tasks import listops

LISTS = [("MAX", (2, ("MIN", (4, 7)), 0)), ("MIN", (5, 3))]


def test_all_readers_are_asked_the_same_with_as_many_weights():
    costs, counts = [], []
    for reader in READERS:
        recipe = ListsRecipe(reader)
        model = recipe.build()
        counts.append(sum(p.numel() for p in model.parameters()))
        torch.nn.init.zeros_(model.readout.weight)
        costs.append(recipe.cost(model, LISTS).item())
        model.readout.bias.data[3] = 9.0
        assert recipe.right(model, LISTS) == 0.5
    assert costs == pytest.approx([torch.tensor(10.0).log().item()] * 3)
    assert len(set(counts)) == 1


def test_one_gate_is_the_tree_where_every_node_has_one_child():
    one, tree = (kind(3, 4, generator=torch.Generator().manual_seed(0)) for kind in (OneGate, TreeLSTM))
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(one(x, torch.tensor([1, 2, 3, 4, -1]))[0], tree(x, torch.tensor([1, 2, 3, 4, -1]))[0])
    parent = torch.tensor([-1, 0, 0, 0, 0])
    assert not torch.allclose(one(x, parent)[0][0], tree(x, parent)[0][0])


def test_lists_of_a_depth_have_it():
    assert {listops.depth(one) for one in lists_of_depth(3, count=20)} == {3}


def calls():
    return {lists_of_depth: {"depth": 2, "part": "test", "count": 3}}
