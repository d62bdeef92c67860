"""A bit behind a gate, in a real browser: the same as torch, by mouse, touch and keyboard."""

import pytest
import torch

from attend.gating.gru import GRU
from attend.live.gru_shut import ShutGate

T = 200
NOISE = torch.randn(T - 1, generator=torch.Generator().manual_seed(0)).clamp(-3, 3).tolist()


def figure(**options):
    return ShutGate([1.0, *NOISE], **options)


def states(gate, bit):
    """What our unit makes of it: one number, and the gate given to it step by step as its bias."""
    unit, h, found = GRU(1, 1).double().requires_grad_(False), torch.zeros(1, 1).double(), []
    unit.from_input.weight.copy_(torch.tensor([[0.0], [0.0], [1.0]]))
    unit.from_hidden.weight.zero_()
    for z, x in zip(gate, [10 * bit, *NOISE], strict=True):
        unit.from_input.bias[1] = torch.logit(torch.tensor(z, dtype=torch.float64))
        h = unit.step(torch.tensor([[x]]).double(), h)
        found.append(h.item())
    return found


@pytest.mark.parametrize("level", [0.5, 1.5, 3.25, 4])
@pytest.mark.parametrize("once", [None, 120])
def test_same_as_torch(compute, level, once):
    got = compute(figure())({"bit": -1, "level": level, "opened": once, "depth": 0.4})
    assert got["hidden"] == pytest.approx(states(got["gate"], -1), abs=1e-6)
    assert got["gate"][0] == 0
    assert got["gate"][50] == pytest.approx(1 if level == 4 else 1 - 10**-level)
    assert got["gate"][119] == pytest.approx(1 - 10**-0.4 if once else got["gate"][50])


def test_a_shut_gate_keeps_the_bit_to_the_last_step(mount):
    shown = mount(figure())
    before = shown.value()
    assert abs(before["hidden"][-1]) < 0.5
    grip = shown.root.get_by_role("slider", name="Level of the gate")
    for _ in range(6):
        grip.press("Shift+ArrowUp")
    after = shown.value()
    assert after["z"] == 1
    assert after["hidden"] == [after["hidden"][0]] * T
    assert "untouched" in shown.root.locator(".says").text_content()


def test_opened_once_it_lets_that_input_in(mount):
    shown = mount(figure(level=10_000))
    hatch = shown.root.get_by_role("slider", name="Open the gate at one step")
    box, mouse = hatch.bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 60, y + 200, steps=6)
    mouse.up()
    value = shown.value()
    at = value["opened"]
    assert at > T / 2
    assert value["depth"] == 0
    kept = value["hidden"]
    assert kept[at - 2] == kept[0] == pytest.approx(1)
    assert kept[at - 1] == kept[-1] == pytest.approx(torch.tensor(NOISE[at - 2]).tanh().item(), abs=1e-6)


def test_the_bit_can_be_turned_and_all_be_started_again(mount):
    shown = mount(figure(opened=50))
    before = shown.value()
    shown.root.get_by_text("\u22121", exact=True).last.click()
    assert shown.value()["hidden"][0] == pytest.approx(-1)
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value() == before


def test_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"inputs": [1.0] * 19}, "inputs"),
        ({"inputs": [4.0] * 30}, "inputs"),
        ({"level": 1.0}, "level"),
        ({"opened": 1}, "opened"),
        ({"opened": 31}, "opened"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        ShutGate(**{"inputs": [0.5] * 30, **arguments})


def calls():
    return {
        ShutGate: {"inputs": [0.5] * 30, "level": 20.0, "opened": 5},
    }
