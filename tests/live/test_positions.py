"""Two positions and the hands of their clocks, in a real browser: the same as torch; mouse, touch, keyboard."""

import pytest
import torch

from attend.live.positions import WIDTHS, PositionClocks
from attend.transformers.positioned import rotate
from attend.transformers.positions import shift_matrix, sinusoids

HEAD = {"query": [1.0, -0.5, 2.0, 0.3, 0.2, 1.5, -1.0, 0.7], "key": [0.5, 1.0, -1.0, 0.2, 2.0, 0.1, 0.4, -0.6]}


@pytest.mark.parametrize("view", WIDTHS)
def test_same_as_torch(compute, view):
    forward, p = compute(PositionClocks()), sinusoids(64, int(view))
    for first, second in ((12, 20), (40, 3), (0, 63), (7, 7)):
        got = forward({"view": view, "first": first, "second": second})
        expected = {
            "first": p[first],
            "second": p[second],
            "moved": shift_matrix(second - first, int(view)) @ p[first],
            "product": p[first] @ p[second],
            "curve": torch.cat([(p @ p[0]).flip(0)[:-1], p @ p[0]]),
        }
        for name, value in expected.items():
            torch.testing.assert_close(torch.tensor(got[name]).to(value), value, atol=2e-4, rtol=0)
        assert got["moved"] == pytest.approx(got["second"], abs=1e-9)


def test_a_trained_head_turns_as_in_torch(compute):
    forward = compute(PositionClocks(view="rope", **HEAD))
    query, key = (rotate(torch.tensor(HEAD[name]).expand(64, 8)) for name in ("query", "key"))
    for first, second in ((12, 20), (0, 63), (7, 7)):
        got = forward({"view": "rope", "first": first, "second": second})
        expected = {
            "first": key[first],
            "second": query[second],
            "product": query[second] @ key[first] / 8**0.5,
            "curve": query @ key[0] / 8**0.5,
        }
        for name, value in expected.items():
            torch.testing.assert_close(torch.tensor(got[name]).to(value), value, atol=2e-4, rtol=0)
        assert got["product"] == pytest.approx(got["curve"][second - first], abs=1e-9)


def test_positions_move_by_keys_and_the_product_follows(mount):
    shown = mount(PositionClocks())
    before = shown.value()
    blue = shown.root.get_by_role("slider", name="Blue position")
    blue.press("ArrowRight")
    after = shown.value()
    assert (after["first"], after["second"]) == (before["first"], before["second"] + 1)
    assert after["product"] != before["product"]
    for _ in range(7):
        blue.press("Shift+ArrowRight")
    assert shown.value()["second"] == 63


def test_both_together_keep_their_distance_and_product(mount):
    shown = mount(PositionClocks(**HEAD))
    for view in ("sinusoids (32)", "RoPE, trained"):
        shown.root.get_by_role("radio", name=view).press("Space")
        before = shown.value()
        shown.root.get_by_role("checkbox", name="Move both together").check()
        shown.root.get_by_role("slider", name="Orange position").press("Shift+ArrowRight")
        after = shown.value()
        assert (after["first"], after["second"]) == (before["first"] + 10, before["second"] + 10)
        assert after["product"] == pytest.approx(before["product"], abs=1e-9)
        assert "all hands have turned" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("radio", name="sinusoids (8)").press("Space")
    assert "have turned" not in shown.root.locator(".says").inner_text()
    for _ in range(9):
        shown.root.get_by_role("slider", name="Orange position").press("Shift+ArrowRight")
    assert (shown.value()["first"], shown.value()["second"]) == (55, 63)


def test_what_a_head_has_not_met_and_what_the_mask_hides_is_said(mount):
    shown = mount(PositionClocks(view="rope", **HEAD))
    orange, blue = (shown.root.get_by_role("slider", name=f"{name} position") for name in ("Orange", "Blue"))
    says = shown.root.locator(".says")
    assert "never met" not in says.inner_text()
    blue.press("Shift+ArrowRight")
    assert "distance 18, which it never met" in says.inner_text()
    for _ in range(3):
        orange.press("Shift+ArrowRight")
    assert "the causal mask hides this key" in says.inner_text()


def test_the_mouse_drags_a_position_and_starting_again_brings_everything_back(mount):
    shown = mount(PositionClocks())
    first = shown.value()
    box, mouse = shown.root.get_by_role("slider", name="Orange position").bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 220, box["y"] + 40, steps=4)
    mouse.up()
    assert shown.value()["first"] > 25
    shown.root.get_by_role("radio", name="sinusoids (8)").press("Space")
    assert shown.value()["view"] == "8"
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_on_a_phone_in_the_dark(mount):
    shown = mount(PositionClocks(**HEAD), width=360, theme="dark", has_touch=True)
    before = shown.value()
    shown.root.locator("label", has_text="sinusoids (8)").first.tap()
    assert shown.value()["view"] == "8"
    assert shown.value()["product"] != before["product"]
    shown.root.locator("label", has_text="RoPE").first.tap()
    assert shown.value()["view"] == "rope"
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert len(shown.root.locator("svg").nth(1).locator("circle").all()) == 4


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"places": 8}, "places: got"),
        ({"first": 64}, "first: got"),
        ({"second": -1}, "second: got"),
        ({"view": "12"}, "view: got"),
        ({"view": "rope"}, "view: got 'rope'"),
        ({"query": [1.0, 2.0]}, "key: got"),
        ({"query": [1.0] * 3, "key": [1.0] * 3}, "key: got"),
        ({"trained": 65}, "trained: got 65"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        PositionClocks(**changed)


def calls():
    return {
        PositionClocks: {"places": 64, "first": 12, "second": 20, "view": "32", "trained": 16, **HEAD},
    }


def good():
    return {
        PositionClocks: {"first": {"zero"}, "second": {"zero"}, "view": {"8"}},
    }
