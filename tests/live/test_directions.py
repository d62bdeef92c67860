"""What reaches a summary, in a real browser: the same summaries and slopes as torch; by keyboard, mouse and touch."""

import pytest
import torch

from attend.gating.graph_lstm import GraphLSTM
from attend.gating.grid_lstm import CORNERS, GridLSTM
from attend.gating.lstm import LSTM
from attend.gating.tree_lstm import TreeLSTM
from attend.live.directions import Influence
from attend.recipes.reach import SHORT

LINE = {"inputs": [2, 0, 3, 1], "names": ["two", "hundred", "and", "one"], "picked": 1}
TREE = {"inputs": [4, 1, 4, 0, 2, 3], "names": ["MAX", "1", "MIN", "0", "2", "3"], "picked": 2}
TREE["parent"] = [-1, 0, 0, 2, 2, 0]
GRID = {"pixels": [(37 * i) % 256 for i in range(36)], "side": 6, "block": 2, "picked": 4}
GRAPH = {
    "features": [[0.1 * k, -0.2 + 0.3 * (k % 2), 0.5, 0.1, -0.1, 0.4 * k - 0.8, 0.3 * (-1) ** k] for k in range(5)],
    "neighbours": [[1, 2], [0, 2], [0, 1, 3], [2], []],
    "order": [3, 0, 4, 2, 1],
    "picked": 2,
}
EXAMPLES = {"line": [LINE, {**LINE, "picked": 0}], "tree": [TREE], "grid": [GRID], "graph": [GRAPH]}
WAYS = [
    ("line", "both"),
    ("line", "left"),
    ("line", "right"),
    ("tree", None),
    ("grid", "0"),
    ("grid", "3"),
    ("grid", "all"),
    ("graph", "1"),
    ("graph", "2"),
]


def units():
    draw = torch.Generator().manual_seed(0)
    made = {
        "line.ahead": LSTM(3, 4, generator=draw),
        "line.back": LSTM(3, 5, generator=draw),
        "tree": TreeLSTM(3, 4, generator=draw),
        "grid": GridLSTM(4, 3, generator=draw),
        "graph": GraphLSTM(7, 4, generator=draw),
    }
    for name, unit in made.items():
        (unit.bias if name == "grid" else unit.from_input.bias).data.uniform_(-1, 1, generator=draw)
    return made


def weights():
    draw = torch.Generator().manual_seed(1)
    found = {
        f"{stem}.{SHORT.get(name, name)}": p.detach()
        for stem, unit in units().items()
        for name, p in unit.named_parameters()
    }
    return found | {f"{kind}.E": torch.randn(5, 3, generator=draw) for kind in ("line", "tree")}


def figure(examples=EXAMPLES):
    return Influence(weights(), examples)


def as_the_browser_sees(made):
    """The units and rows with the figure's weights, after their rounding to int8."""
    seen, found = made.seen(), units()
    with torch.no_grad():
        for stem, unit in found.items():
            for name, p in unit.named_parameters():
                p.copy_(seen[f"{stem}.{SHORT.get(name, name)}"])
    return found, seen


def by_torch(made, kind, node, way):
    """The hidden state of a node and the length of its gradient with respect to each input, in float64."""
    found, seen = as_the_browser_sees(made)
    found = {stem: unit.double() for stem, unit in found.items()}
    if kind in ("line", "tree"):
        x = seen[f"{kind}.E"].double()[EXAMPLES[kind][0]["inputs"]]
    elif kind == "grid":
        image = torch.tensor(GRID["pixels"]).double().view(3, 2, 3, 2) / 255
        x = image.transpose(1, 2).flatten(2).flatten(0, 1)
    else:
        x = torch.tensor(GRAPH["features"], dtype=torch.double)
    x.requires_grad_()

    def said(x):
        if kind == "line":
            ahead = found["line.ahead"](x[None])[0][0]
            back = found["line.back"](x.flip(0)[None])[0][0].flip(0)
            return {"both": torch.cat([ahead, back], 1), "left": ahead, "right": back}[way][node]
        if kind == "tree":
            return found["tree"](x, torch.tensor(TREE["parent"]))[0][node]
        if kind == "grid":
            summary = found["grid"](x.view(1, 3, 3, 4)).view(9, len(CORNERS), 3)[node]
            return summary.flatten() if way == "all" else summary[int(way)]
        others = torch.full((1, 5, 3), -1)
        for i, row in enumerate(GRAPH["neighbours"]):
            others[0, i, : len(row)] = torch.tensor(row, dtype=torch.long)
        return found["graph"](x[None], others, torch.tensor([GRAPH["order"]]), int(way))[0, node]

    slope = torch.autograd.functional.jacobian(said, x)
    return said(x).tolist(), slope.transpose(0, 1).flatten(1).norm(dim=1).tolist()


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_same_as_torch(compute, kind, way):
    made = figure()
    forward = compute(made)
    count = len(GRID["pixels"]) // 4 if kind == "grid" else len(EXAMPLES[kind][0].get("inputs", range(5)))
    for node in range(count):
        got = forward({"kind": kind, "example": 0, "node": node, "way": way})
        summary, reach = by_torch(made, kind, node, way)
        assert got["hidden"] == pytest.approx(summary, abs=1e-9)
        assert got["reach"] == pytest.approx(reach, abs=1e-9)


def test_the_keyboard_walks_along_the_line_and_changes_what_is_heard(mount):
    shown = mount(figure())
    assert shown.value()["node"] == 1
    assert shown.value()["reached"] == 4
    ring = shown.root.get_by_role("slider", name="Node")
    ring.press("ArrowRight")
    assert shown.value()["node"] == 2
    shown.root.get_by_role("radio", name="from the left").check(force=True)
    assert [r > 0 for r in shown.value()["reach"]] == [True, True, True, False]
    assert ring.get_attribute("aria-valuetext") == "“and”: 3 of 4 inputs reach it"
    ring.press("End")
    assert shown.value()["node"] == 3
    shown.root.get_by_role("button", name="Another example").click()
    assert (shown.value()["example"], shown.value()["node"]) == (1, 0)


def test_all_four_shapes_can_be_walked_through(mount):
    shown = mount(figure())
    for name, kind, key, node in (
        ("a tree", "tree", "ArrowUp", 0),
        ("a plane", "grid", "ArrowDown", 7),
        ("a graph", "graph", "ArrowUp", None),
    ):
        shown.root.get_by_role("radio", name=name).check(force=True)
        assert shown.value()["kind"] == kind
        before = shown.value()["node"]
        shown.root.get_by_role("slider", name="Node").press(key)
        assert shown.value()["node"] == node if node is not None else shown.value()["node"] != before
    shown.root.get_by_role("radio", name="two passes").check(force=True)
    assert shown.value()["way"] == "2"


def test_a_click_and_a_finger_pick_a_node(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("radio", name="a plane").check(force=True)
    shown.root.locator("rect.back").nth(8).tap(force=True)
    assert shown.value()["node"] == 8
    assert shown.value()["reached"] == 9
    shown.root.locator("rect.input").nth(0).click(force=True)
    assert [r > 0 for r in shown.value()["reach"]] == [True] + [False] * 8
    assert shown.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_figure_of_one_shape_asks_for_no_other(mount):
    made = Influence({name: tensor for name, tensor in weights().items() if name.startswith("tree")}, {"tree": [TREE]})
    shown = mount(made)
    assert shown.value()["kind"] == "tree"
    assert shown.root.get_by_role("radio").count() == 0


def test_bad_parts_are_refused_by_name():
    with pytest.raises(ValueError, match="weights: got"):
        Influence({}, EXAMPLES)
    with pytest.raises(ValueError, match="weights: got"):
        figure({"line": [LINE]})
    with pytest.raises(ValueError, match="examples: got"):
        figure({"ring": [LINE]})
    with pytest.raises(ValueError, match="examples\\['tree'\\]: got"):
        figure({**EXAMPLES, "tree": [{"inputs": [1]}]})
    with pytest.raises(ValueError, match="examples\\['grid'\\]: got"):
        figure({**EXAMPLES, "grid": []})


def calls():
    return {
        Influence: {"weights": weights(), "examples": EXAMPLES},
    }
