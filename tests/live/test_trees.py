"""The tree of digits in a real browser: the same answers and gates as torch; by mouse, touch and keyboard."""

import pytest
import torch

from attend.gating.tree_lstm import TreeTagger
from attend.live.trees import TreeValues

LIST = ([10, 2, 11, 9, 10, 3, 7, 4, 1], [-1, 0, 0, 2, 2, 4, 4, 2, 0])
OTHER = ([11, 5, 8], [-1, 0, 0])


def model():
    return TreeTagger(12, 3, 5, 10, torch.Generator().manual_seed(0)).requires_grad_(False)


def figure():
    made = model()
    layer = made.tree_lstm
    weights = {"E": made.embed.weight, "W": layer.from_input.weight, "U": layer.from_hidden.weight}
    weights |= {"b": layer.from_input.bias, "head": made.readout.weight, "head_b": made.readout.bias}
    return TreeValues(weights, [LIST, OTHER])


def test_same_as_torch(compute):
    made, tree = figure(), model()
    seen, layer, forward = made.seen(), tree.tree_lstm, compute(made)
    places = {"E": tree.embed.weight, "W": layer.from_input.weight, "U": layer.from_hidden.weight}
    places |= {"b": layer.from_input.bias, "head": tree.readout.weight, "head_b": tree.readout.bias}
    for name, place in places.items():
        place.copy_(seen[name])
    for tokens, parent in (LIST, OTHER):
        got = forward({"tokens": tokens, "parent": parent})
        codes, above = torch.tensor(tokens), torch.tensor(parent)
        torch.testing.assert_close(torch.tensor(got["logits"]), tree(codes, above), rtol=0, atol=1e-5)
        h, _ = layer(tree.embed(codes), above)
        x_f, U_f = layer.from_input(tree.embed(codes)).chunk(4, dim=1)[1], layer.from_hidden.weight.chunk(4)[1]
        for node, p in enumerate(parent):
            wanted = 0.0 if p < 0 else torch.sigmoid(x_f[p] + h[node] @ U_f.T).mean().item()
            assert got["forget"][node] == pytest.approx(wanted, abs=1e-5)


def test_digits_and_operations_change_by_keyboard_and_touch(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    before = shown.value()
    shown.root.get_by_role("button", name="Digit").first.press("ArrowUp")
    assert shown.value()["tokens"] == [10, 3, *LIST[0][2:]]
    assert shown.value()["forget"] != before["forget"]
    shown.root.get_by_role("button", name="Digit").first.press("ArrowDown")
    shown.root.get_by_role("button", name="MAX: the network").first.tap()
    assert shown.value()["tokens"][0] == 11
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == before
    shown.root.get_by_role("button", name="Another list").click()
    assert shown.value()["tokens"] == OTHER[0]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("tree", [([10], [-1]), ([10, 1], [-1, 1]), ([12, 1], [-1, 0]), ([1, 10], [-1, 0])])
def test_a_tree_that_is_none_is_refused(tree):
    with pytest.raises(ValueError, match="lists: got"):
        TreeValues(dict.fromkeys(("E", "W", "U", "b", "head", "head_b"), torch.ones(2, 2)), [tree])


def calls():
    weights = dict.fromkeys(("E", "W", "U", "b", "head", "head_b"), torch.ones(2, 2))
    return {TreeValues: {"weights": weights, "lists": [OTHER]}}
