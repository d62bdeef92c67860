"""Inputs that fade, in a real browser: the same states as torch, by mouse, touch and keyboard."""

import pytest
import torch

from attend.live.gradients import ENTRY, MIXES, TURNS, VanishingGradients
from attend.memory.elman import RNN

INPUTS = [0.9, 0.2, 0.5, 0.7, 0.6, 0.3, -0.1, -0.5]


def figure(radius=0.8):
    return VanishingGradients(INPUTS, -0.7, radius)


def states(inputs, radius, U):
    unit = RNN(1, 2).double().requires_grad_(False)
    weights = {
        "from_input.weight": torch.tensor(ENTRY)[:, None],
        "from_hidden.weight": radius * torch.tensor(U, dtype=torch.float64),
        "from_input.bias": torch.zeros(2),
    }
    unit.load_state_dict(weights)
    return unit(torch.tensor(inputs, dtype=torch.float64)[None, :, None])[0][0]


def test_same_as_torch(compute):
    forward = compute(figure())
    for kind, U in (("mixes", MIXES), ("turns", TURNS)):
        assert torch.linalg.eigvals(torch.tensor(U)).abs().max().item() == pytest.approx(1, abs=1e-6)
        for radius in (0.5, 1.0, 1.3):
            got = forward({"inputs": INPUTS, "radius": radius, "kind": kind})["states"]
            torch.testing.assert_close(
                torch.tensor(got, dtype=torch.float64), states(INPUTS, radius, U), rtol=0, atol=1e-6
            )


def test_the_bars_are_the_distance_between_the_two_paths(mount):
    shown = mount(figure()).value()
    gap = states(INPUTS, 0.8, MIXES) - states([-0.7, *INPUTS[1:]], 0.8, MIXES)
    assert shown["moved"] == pytest.approx((gap.norm(dim=1) / 1.6).tolist(), abs=1e-6)
    assert shown["moved"][-1] < 0.05 * shown["moved"][0]


def test_dragging_an_input_nudges_it_and_earlier_states_stay(mount):
    shown = mount(figure())
    box, mouse = shown.root.get_by_role("slider", name="Input 4").bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y + 30, steps=5)
    mouse.up()
    value = shown.value()
    assert value["nudged"] == 3
    assert value["inputs"][3] < 0.7
    assert value["before"] == INPUTS
    assert value["moved"][:3] == [0, 0, 0]
    assert value["moved"][3] > value["moved"][-1] > 0


def test_the_keyboard_nudges_adds_turns_and_starts_again(mount):
    shown = mount(figure())
    before = shown.value()
    shown.root.get_by_role("slider", name="Input 2").press("ArrowUp")
    assert shown.value()["inputs"][1] == pytest.approx(0.25)
    shown.root.get_by_role("button", name="Add an input").press("Enter")
    assert len(shown.value()["inputs"]) == 9
    shown.root.get_by_role("slider", name="radius of U").press("ArrowRight")
    assert shown.value()["radius"] == pytest.approx(0.85)
    shown.root.get_by_text("turns").click()
    assert shown.value()["kind"] == "turns"
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value() == before


def test_a_click_in_the_row_adds_an_input_at_its_height(mount):
    shown = mount(figure())
    ground = shown.root.locator("svg").first.locator("rect")
    box = ground.bounding_box()
    shown.page.mouse.click(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
    assert shown.value()["inputs"] == [*INPUTS, 0]


def test_touch_on_a_phone_fills_the_row_and_no_more(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    more = shown.root.get_by_role("button", name="Add an input")
    while more.is_enabled():
        more.tap()
    assert len(INPUTS) < len(shown.value()["inputs"]) <= 20
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([0.1], 0.0), "inputs"),
        (([0.1, 2.0], 0.0), "inputs"),
        ((INPUTS, 2.0), "before"),
        ((INPUTS, 0.0, 2.0), "radius"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        VanishingGradients(*arguments)


def calls():
    return {
        VanishingGradients: {"inputs": [0.5, -0.5], "before": 0.1, "radius": 0.8},
    }
