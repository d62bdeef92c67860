"""Old Faithful's past, read in a real browser: the same weights and waits as torch, by mouse, touch and keyboard."""

import pytest
import torch

from attend.live.read_geyser import GeyserReader
from attend.soft.read import read
from attend.tasks import faces, geyser

DURATION, WAIT = geyser.eruptions()


def figure():
    return GeyserReader(DURATION, WAIT)


@pytest.mark.parametrize("memory", ["all", "means"])
def test_same_as_torch(compute, memory):
    forward = compute(figure())
    long = DURATION >= 3
    keys, values = DURATION, WAIT
    if memory == "means":
        keys, values = (torch.stack([x[~long].mean(), x[long].mean()]) for x in (DURATION, WAIT))
    for query, width in ((1.5, 0.05), (2.9, 0.3), (3.0, 2.0), (5.3, 0.05)):
        got = forward({"query": query, "width": width, "memory": memory})
        asked, precision = torch.tensor([[[query]]]), torch.tensor([width**-2])
        found = read(faces.gaussian(asked, keys[None, :, None], precision), values[None, :, None])
        assert got["read"] == pytest.approx(found.context.item(), rel=1e-4)
        assert got["weights"] == pytest.approx(found.weights[0, 0].tolist(), abs=1e-4)


def test_the_keyboard_the_slider_and_start_again(mount):
    shown = mount(figure())
    before = shown.value()
    assert 50 < before["read"] < 60
    query = shown.root.get_by_role("slider", name="Query")
    for _ in range(3):
        query.press("Shift+ArrowRight")
    assert shown.value()["query"] == pytest.approx(5)
    assert shown.value()["read"] > 78
    wide = shown.root.get_by_role("slider", name="Width")
    wide.press("End")
    assert shown.value()["width"] == 2
    assert shown.value()["half"] > before["half"]
    shown.root.get_by_role("radio", name="two means").check(force=True)
    assert shown.value()["half"] == 1
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == before


def test_a_mouse_and_a_finger_drag_the_query(mount):
    shown = mount(figure(), width=340, theme="dark", has_touch=True)
    box = shown.root.get_by_role("slider", name="Query").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + 60, y, steps=4)
    shown.page.mouse.up()
    assert shown.value()["query"] > 2.5
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 340


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="short: got"):
        GeyserReader(DURATION, WAIT, short=1.0)
    with pytest.raises(ValueError, match="query: got"):
        GeyserReader(DURATION, WAIT, query=1.0)
    with pytest.raises(ValueError, match="width: got"):
        GeyserReader(DURATION, WAIT, width=0.0)


def calls():
    return {GeyserReader: {"duration": torch.tensor([2.0, 4.0]), "wait": torch.tensor([50.0, 80.0])}}
