"""A pulse behind three gates, in a real browser: the same as torch, by mouse, finger and keyboard."""

import pytest
import torch

from attend.gating.lstm import LSTM
from attend.live.lstm import LSTMGates

T = 48
NOISE = (0.3 * torch.randn(T, generator=torch.Generator().manual_seed(0))).clamp(-1.5, 1.5).tolist()


def figure(**options):
    return LSTMGates(NOISE, **options)


def drawn(seed=1):
    gates = torch.rand(3, T, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).clamp(0.01, 0.99)
    return dict(zip(("input", "forget", "output"), gates.tolist(), strict=True))


def torch_cell(inputs, gates):
    """torch's own cell, one number wide: the gates are given to it as its biases, step by step."""
    cell = torch.nn.LSTMCell(1, 1).double().requires_grad_(False)
    for weights in cell.parameters():
        weights.zero_()
    cell.weight_ih[2] = 1
    state, found = (torch.zeros(1, 1).double(), torch.zeros(1, 1).double()), []
    for t, x in enumerate(inputs):
        for row, kind in ((0, "input"), (1, "forget"), (3, "output")):
            cell.bias_ih[row] = torch.logit(torch.tensor(gates[kind][t], dtype=torch.float64))
        state = cell(torch.tensor([[x]], dtype=torch.float64), state)
        found.append([float(state[1]), float(state[0])])
    return map(list, zip(*found, strict=True))


@pytest.mark.parametrize(("at", "size"), [(6, 1.5), (1, -0.7), (48, 0.4)])
def test_same_as_torch(compute, at, size):
    gates, inputs = drawn(), list(NOISE)
    got = compute(figure())({"at": at, "size": size, **gates})
    inputs[at - 1] = size
    cell, summary = torch_cell(inputs, gates)
    assert got["cell"] == pytest.approx(cell, abs=1e-12)
    assert got["summary"] == pytest.approx(summary, abs=1e-12)
    inputs[at - 1] = 0.0
    without, _ = torch_cell(inputs, gates)
    assert got["arrives"] == pytest.approx([a - b for a, b in zip(cell, without, strict=True)], abs=1e-12)


def test_same_as_our_own_cell_with_its_gates_at_one_half(compute):
    half = {kind: [0.5] * T for kind in ("input", "forget", "output")}
    unit = LSTM(1, 1, forget_bias=0.0).double().requires_grad_(False)
    unit.from_input.weight.copy_(torch.tensor([[0.0], [0.0], [1.0], [0.0]]))
    unit.from_hidden.weight.zero_()
    inputs = list(NOISE)
    inputs[5] = 1.5
    summaries, last = unit(torch.tensor(inputs, dtype=torch.float64)[None, :, None])
    got = compute(figure())({"at": 6, "size": 1.5, **half})
    assert got["summary"] == pytest.approx(summaries.flatten().tolist(), abs=1e-12)
    assert got["cell"][-1] == pytest.approx(last[1].item(), abs=1e-12)


def test_by_button_mouse_and_keyboard(mount):
    shown = mount(figure())
    root, start, whole = shown.root, shown.value(), torch.tensor(1.5).tanh()
    assert start["arrives"][-1] < 1e-6
    assert "less than 1\u00a0% of it" in root.locator(".says").text_content()

    root.get_by_text("write, keep, show").click()
    value = shown.value()
    assert value["arrives"][-1] == value["cell"][-1] == value["cell"][5] == pytest.approx(whole.item())
    assert value["summary"][:43] == [0] * 43
    assert value["summary"][-1] == pytest.approx(whole.tanh().item())
    assert "all of it" in root.locator(".says").text_content()
    root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value() == start

    box, mouse = root.get_by_role("slider", name="forget gate").bounding_box(), shown.page.mouse
    mouse.move(box["x"] + 1, box["y"] + 3)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 1, box["y"] + 3, steps=5)
    mouse.up()
    value = shown.value()
    assert value["forget"] == [1] * T
    assert value["arrives"][-1] == pytest.approx(0.5 * whole.item())
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)  # no button is down
    assert shown.value() == value

    gate = root.get_by_role("slider", name="output gate")
    gate.press("ArrowRight")
    assert shown.value()["output"] == [0.5] * T
    assert gate.get_attribute("aria-valuetext") == "step 26: 0.50"
    gate.press("Shift+ArrowUp")
    assert shown.value()["output"] == [0.5] * 25 + [1] + [0.5] * 22
    gate.press("Shift+ArrowLeft")
    gate.press("ArrowDown")
    assert shown.value()["output"][15] == 0.45

    pulse = root.get_by_role("slider", name="Pulse")
    pulse.press("ArrowRight")
    assert shown.value()["at"] == 7
    pulse.press("ArrowDown")
    assert shown.value()["size"] == pytest.approx(1.4)


def test_on_a_phone_in_the_dark_a_scrolling_finger_leaves_the_gates_as_they_were(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360
    gate = shown.root.get_by_role("slider", name="input gate")
    box = gate.bounding_box()
    at = {"clientX": box["x"] + 30, "clientY": box["y"] + 30, "pointerId": 1, "pointerType": "touch"}
    gate.evaluate("e => { e.setPointerCapture = () => {}; }")
    gate.dispatch_event("pointerdown", at)
    assert shown.value()["input"] != [0.5] * T
    gate.dispatch_event("pointercancel", at)
    assert shown.value()["input"] == [0.5] * T


@pytest.mark.parametrize(
    ("arguments", "name"),
    [({"inputs": [0.0] * 19}, "inputs"), ({"inputs": [2.0] * 30}, "inputs"), ({"at": 0}, "at"), ({"at": 31}, "at")],
)
def test_bad_input_is_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        LSTMGates(**{"inputs": [0.5] * 30, **arguments})


def calls():
    return {
        LSTMGates: {"inputs": [0.5] * 30, "at": 5},
    }
