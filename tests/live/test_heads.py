"""Two places and the hands of their clocks, in a real browser: the same as torch; mouse, touch, keyboard."""

import pytest
import torch

from attend.live.heads import WIDTHS, Sinusoids
from attend.transformers.positions import shift_matrix, sinusoids


@pytest.mark.parametrize("D", WIDTHS)
def test_same_as_torch(compute, D):
    forward, places = compute(Sinusoids()), sinusoids(64, D)
    for first, second in ((12, 20), (40, 3), (0, 63), (7, 7)):
        got = forward({"D": D, "first": first, "second": second})
        expected = {
            "first": places[first],
            "second": places[second],
            "moved": shift_matrix(second - first, D) @ places[first],
            "product": places[first] @ places[second],
            "curve": torch.cat([(places @ places[0]).flip(0)[:-1], places @ places[0]]),
        }
        for name, value in expected.items():
            torch.testing.assert_close(torch.tensor(got[name]).to(value), value, atol=2e-4, rtol=0)
        assert got["moved"] == pytest.approx(got["second"], abs=1e-9)


def test_places_move_by_keys_and_the_product_follows(mount):
    shown = mount(Sinusoids())
    before = shown.value()
    blue = shown.root.get_by_role("slider", name="Blue place")
    blue.press("ArrowRight")
    after = shown.value()
    assert (after["first"], after["second"]) == (before["first"], before["second"] + 1)
    assert after["product"] != before["product"]
    for _ in range(7):
        blue.press("Shift+ArrowRight")
    assert shown.value()["second"] == 63


def test_both_together_keep_their_distance_and_product(mount):
    shown = mount(Sinusoids())
    before = shown.value()
    shown.root.get_by_role("checkbox", name="Move both together").check()
    shown.root.get_by_role("slider", name="Orange place").press("Shift+ArrowRight")
    after = shown.value()
    assert (after["first"], after["second"]) == (before["first"] + 10, before["second"] + 10)
    assert after["product"] == pytest.approx(before["product"], abs=1e-9)
    assert "the product is still" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("radio", name="16").press("Space")
    assert "still" not in shown.root.locator(".says").inner_text()
    for _ in range(9):
        shown.root.get_by_role("slider", name="Orange place").press("Shift+ArrowRight")
    assert (shown.value()["first"], shown.value()["second"]) == (55, 63)


def test_the_mouse_drags_a_place_and_starting_again_brings_everything_back(mount):
    shown = mount(Sinusoids())
    first = shown.value()
    box, mouse = shown.root.get_by_role("slider", name="Orange place").bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 220, box["y"] + 40, steps=4)
    mouse.up()
    assert shown.value()["first"] > 25
    shown.root.get_by_role("radio", name="64").press("Space")
    assert shown.value()["D"] == 64
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_on_a_phone(mount):
    shown = mount(Sinusoids(), width=360, has_touch=True)
    before = shown.value()
    shown.root.locator("label", has_text="8").first.tap()
    assert shown.value()["D"] == 8
    assert shown.value()["product"] != before["product"]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert len(shown.root.locator("svg").nth(1).locator("circle").all()) == 4


@pytest.mark.parametrize(
    ("sizes", "name"), [((8,), "places"), ((64, 64), "first"), ((64, 0, -1), "second"), ((64, 0, 1, 12), "D")]
)
def test_bad_sizes_are_refused(sizes, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        Sinusoids(*sizes)


def calls():
    return {
        Sinusoids: {"places": 64, "first": 12, "second": 20, "D": 32},
    }


def good():
    return {
        Sinusoids: {"first": {"zero"}, "second": {"zero"}},
    }
