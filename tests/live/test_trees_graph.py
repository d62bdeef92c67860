"""Attention over the patches of a canvas in a real browser: the same names and weights as torch; by mouse and keys."""

import pytest
import torch

from attend.gating.graph_attention import GraphAttention, GraphTagger
from attend.live.trees_graph import WEIGHTS, PatchAttention

NEAR = [[1, 2], [0, 2], [0, 1, 3], [2], []]
CANVAS = {
    "features": [[0.3 * k - 0.5, 0.4 * k - 0.8, 0.3 * (-1) ** k] for k in range(5)],
    "neighbours": NEAR,
    "labels": [0, 0, 1, 1, 0],
    "picked": 2,
}


def model():
    torch.manual_seed(0)
    return GraphTagger(3, GraphAttention(4, score_size=2), 4, 2, rounds=2).requires_grad_(False)


def weights(of):
    layer = of.layer
    parts = (of.embed, layer.own, layer.message, layer.query, layer.key, layer.score, of.head)
    named = zip(("embed", "own", "message", "query", "key", "score", "head"), parts, strict=True)
    found = {}
    for name, part in named:
        found[name] = part.weight
        if part.bias is not None:
            found[f"{name}_b"] = part.bias
    return found


def figure():
    return PatchAttention(weights(model()), [CANVAS, {**CANVAS, "picked": 0}])


def test_same_as_torch(compute):
    made, net = figure(), model()
    seen, forward = made.seen(), compute(made)
    for name, place in weights(net).items():
        place.copy_(seen[name])
    x = torch.tensor([CANVAS["features"]])
    for rounds, cut in ((0, None), (1, None), (4, None), (2, 2)):
        edges = torch.zeros(1, 5, 5, dtype=torch.bool)
        for v, others in enumerate(NEAR):
            edges[0, v, others] = True
        if cut is not None:
            edges[0, cut], edges[0, :, cut] = False, False
        net.rounds = max(rounds - 1, 0)
        got = forward({"canvas": 0, "rounds": rounds, "cut": cut})
        h = torch.tanh(net.embed(x))
        for _ in range(net.rounds):
            h = net.layer(h, edges)
        if rounds:
            shares = net.layer.weights(h, edges)[0]
            for v, (near, row) in enumerate(zip(got["near"], got["weights"], strict=True)):
                assert row == pytest.approx(shares[v, near].tolist(), abs=1e-5)
        net.rounds = rounds
        torch.testing.assert_close(torch.tensor(got["logits"]), net(x, edges)[0], rtol=0, atol=1e-5)


def test_a_patch_is_picked_and_cut_off(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    assert shown.value()["node"] == 2
    assert sum(shown.value()["read"]) == pytest.approx(1)
    before = shown.value()["digit"]
    shown.root.get_by_text("cut this patch off").click()
    assert sum(shown.value()["read"]) == 0
    assert shown.value()["digit"] != before
    shown.root.get_by_role("slider", name="Patch").press("Home")
    assert shown.value()["node"] == 0
    shown.root.locator("circle.patch").nth(3).click(force=True)
    assert shown.value()["node"] == 3
    shown.root.get_by_role("radio", name="1", exact=True).first.check(force=True)
    assert shown.value()["rounds"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bad_parts_are_refused():
    with pytest.raises(ValueError, match="weights: got"):
        PatchAttention({}, [CANVAS])
    with pytest.raises(ValueError, match="canvases: got"):
        PatchAttention(weights(model()), [{**CANVAS, "neighbours": [[1], [], [], [], []]}])
    with pytest.raises(ValueError, match="canvases: got"):
        PatchAttention(weights(model()), [{"picked": 0}])


def calls():
    return {PatchAttention: {"weights": dict.fromkeys(WEIGHTS, torch.ones(2, 2)), "canvases": [CANVAS]}}
