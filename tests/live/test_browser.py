"""The fixtures of this room and the kit's ways of being used, with a figure made for the occasion."""

import shutil

import numpy as np
import pytest
import torch
from tests.site import driver

from attend.live import linker
from attend.live.figure import LiveFigure

SCRIPT = """
import { handle, plane } from "../kit/plane.js";
import { button, choices, scrub, slider, textbox, toggle } from "../kit/control.js";
import { affine, row } from "../kit/tensor.js";

export function forward(tensors, data, input) {
  return { y: affine(tensors.W, input.x), row: row(tensors.W, 1), all: tensors.W.values, much: 1 / 0 };
}

export function render({ root, width, data, publish }) {
  const on = plane({ parent: root, width, height: 240, x: [0, 1], y: [0, 1], label: "A plane" });
  handle({ plane: on, at: [0.5, 0.5], label: "A point", step: 0.1, onMove: (x, y) => publish({ point: [x, y] }) });
  slider({ parent: root, label: "A slider", min: 0, max: 10, step: 1, value: 5,
    onInput: (v) => publish({ slider: v }) });
  scrub({ parent: root, label: "A number", value: 1, min: 0, max: 2, step: 0.1,
    onChange: (v) => publish({ scrub: v }) });
  button({ parent: root, label: "A button", onPress: () => publish({ pressed: true }) });
  toggle({ parent: root, label: "A toggle", value: false, onChange: (v) => publish({ toggle: v }) });
  textbox({ parent: root, label: "A text", value: "", onInput: (v) => publish({ text: v }) });
  choices({ parent: root, label: "A choice", options: [["a", "first"], ["b", "second"]], value: "a",
    onChange: (v) => publish({ choice: v }) });
}
"""
W = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -0.125]])


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """The class of a figure that lies in a folder of its own beside a copy of the kit."""
    shutil.copytree(linker.LIVE / "kit", tmp_path / "kit")
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "scratch.js").write_text(SCRIPT)
    monkeypatch.setattr(linker, "LIVE", tmp_path)
    return type("Scratch", (LiveFigure,), {"__module__": "attend.live.scratch"})


@pytest.fixture
def figure(scratch):
    return scratch(alt="A plane with a point.", invite="Move the point.", tensors={"W": W})


@pytest.mark.parametrize(("precision", "off"), [("float32", 0), ("float16", 1e-3), ("int8", 2e-2)])
def test_tensors_arrive_as_python_says_they_do(compute, scratch, precision, off):
    tensors = {"W": W * 1.1, "flag": np.arange(3, dtype=np.uint8)}
    figure = scratch(alt="a", invite="b", tensors=tensors, precision=precision)
    result = compute(figure)({"x": [1, 2, 3]})
    seen = figure.seen()["W"]
    assert result["y"] == pytest.approx((seen @ torch.tensor([1.0, 2, 3])).tolist(), abs=1e-6)
    assert result["all"] == pytest.approx(seen.flatten().tolist(), abs=1e-7)
    assert result["row"] == pytest.approx((W[1] * 1.1).tolist(), abs=off + 1e-7)
    assert result["much"] == "Infinity"


def test_every_control_works_by_keyboard(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("slider", name="A point").press("ArrowRight")
    assert shown.value() == {"point": [0.6, 0.5]}
    shown.root.get_by_role("slider", name="A slider").press("ArrowLeft")
    assert shown.value() == {"slider": 4}
    shown.root.get_by_role("slider", name="A number").press("Shift+ArrowUp")
    assert shown.value() == {"scrub": 2}
    shown.root.get_by_role("button", name="A button").press("Enter")
    assert shown.value() == {"pressed": True}
    shown.root.get_by_role("checkbox", name="A toggle").press("Space")
    assert shown.value() == {"toggle": True}
    shown.root.get_by_role("textbox", name="A text").press("k")
    assert shown.value() == {"text": "k"}
    shown.root.get_by_role("radio", name="first").press("ArrowRight")
    assert shown.value() == {"choice": "b"}


@pytest.mark.parametrize("touch", [False, True])
def test_a_point_follows_the_pointer(mount, figure, touch):
    shown = mount(figure, width=360, has_touch=touch)
    point = shown.root.get_by_role("slider", name="A point")
    if touch:
        driver.drag(shown.page, point, 100, 0)
    else:
        box = point.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        shown.page.mouse.move(x, y)
        shown.page.mouse.down()
        shown.page.mouse.move(x + 100, y)
        shown.page.mouse.up()
    assert shown.value()["point"][0] > 0.6
    assert shown.value()["point"][1] == 0.5


def test_it_is_a_named_group_in_both_themes(mount, figure):
    for theme in ("light", "dark"):
        shown = mount(figure, theme=theme)
        assert shown.root.get_attribute("aria-label") == "A plane with a point."
        assert shown.page.evaluate("document.documentElement.dataset.theme") == theme


FINGERS = [("none", (0, -60), True), ("pan-y", (60, 0), True), ("pan-y", (0, -60), False)]


@pytest.mark.parametrize(("action", "by", "kept"), FINGERS)
def test_a_part_of_a_drawing_keeps_the_finger_that_it_asks_for(mount, figure, action, by, kept):
    shown = mount(figure, width=360, has_touch=True, is_mobile=True)
    shown.page.add_style_tag(content=f"body {{ height: 3000px }} .handle {{ touch-action: {action} !important }}")
    shown.page.evaluate("addEventListener('pointercancel', () => { window.lost = true; }, true)")
    driver.drag(shown.page, shown.root.get_by_role("slider", name="A point"), *by)
    shown.page.wait_for_timeout(150)
    assert (not shown.page.evaluate("window.lost ?? false")) == kept
