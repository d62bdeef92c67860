"""One update of the gated unit, in a real browser: the same as torch, by mouse, touch and keyboard."""

import pytest
import torch

from attend.gating.gru import GRU
from attend.live.gru_plane import GatePlane

U = torch.tensor([[0.9, -0.3], [0.3, 1.1]])


def unit(update, reset):
    """A gated unit of two units whose gates stand where they are told to, and whose input is its own push."""
    made, logit = GRU(2, 2).double(), lambda gate: torch.logit(torch.tensor(gate, dtype=torch.float64), eps=1e-16)
    with torch.no_grad():
        made.from_input.weight.zero_()
        made.from_hidden.weight.zero_()
        made.from_input.weight[4:] = torch.eye(2)
        made.from_hidden.weight[4:] = U
        made.from_input.bias[:4] = torch.cat((logit(reset), logit(update)))
    return made.requires_grad_(False)


def drag(shown, name, dx, dy):
    box, mouse = shown.root.get_by_role("slider", name=name).bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + dx, y + dy, steps=5)
    mouse.up()


@pytest.mark.parametrize("update", [[0.0, 0.0], [0.5, 0.5], [0.25, 1.0]])
@pytest.mark.parametrize("reset", [[0.0, 0.0], [1.0, 1.0], [0.75, 0.125]])
def test_same_as_torch(compute, update, reset):
    forward = compute(GatePlane(U))
    old, alone = torch.tensor([[-0.6, 0.35]]).double(), torch.tensor([[0.7, -0.55]]).double()
    got = forward({"old": old[0].tolist(), "alone": alone[0].tolist(), "update": update, "reset": reset})
    ours = unit(update, reset)
    new, gates = ours.step(alone.atanh(), old), ours.gates(alone.atanh(), old)
    torch.testing.assert_close(torch.tensor(got["h"]).double(), new[0], rtol=0, atol=1e-6)
    torch.testing.assert_close(torch.tensor(got["candidate"]).double(), gates.candidate[0], rtol=0, atol=1e-6)


def test_dragging_the_new_state_turns_the_update_gate(mount):
    shown = mount(GatePlane(U))
    before = shown.value()
    drag(shown, "New state", 300, 0)
    drag(shown, "New state", -600, -600)
    after = shown.value()
    assert before["update"] == [0.5, 0.5]
    assert after["update"][0] > 0.95
    assert after["candidate"] == before["candidate"]


def test_a_shut_gate_copies_whatever_else_is_dragged(mount):
    shown = mount(GatePlane(U, update=1.0))
    drag(shown, "What the input alone would make", -60, 40)
    shown.root.get_by_role("slider", name="r", exact=True).press("ArrowLeft")
    after = shown.value()
    assert after["h"] == after["old"]
    assert after["alone"] != [0.7, -0.55]
    assert "Neither the input nor r" in shown.root.locator(".says").text_content()


def test_open_and_reset_the_old_state_has_no_say(mount):
    shown = mount(GatePlane(U, update=0.0, reset=0.0))
    before = shown.value()
    drag(shown, "Old state", 50, 50)
    after = shown.value()
    assert after["old"] != before["old"]
    assert after["h"] == pytest.approx(before["h"])
    assert after["h"] == pytest.approx([0.7, -0.55])


def test_each_number_can_have_its_own_gates(mount):
    shown = mount(GatePlane(U))
    shown.root.get_by_text("separate").click()
    shown.root.get_by_role("slider", name="z₂").press("End")
    shown.root.get_by_role("slider", name="z₁").press("Home")
    value = shown.value()
    assert value["update"] == [0, 1]
    assert value["h"] == pytest.approx([value["candidate"][0], value["old"][1]])
    shown.root.get_by_text("shared").click()
    assert shown.value()["update"] == [0, 0]
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value()["update"] == [0.5, 0.5]


def test_a_phone_in_the_dark(mount):
    shown = mount(GatePlane(U), width=360, theme="dark", has_touch=True)
    shown.root.get_by_text("separate").tap()
    assert shown.root.get_by_role("slider", name="r₂").is_visible()
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"old": (1.0, 0.0)}, "old"),
        ({"alone": (0.5,)}, "alone"),
        ({"update": 1.5}, "update"),
        ({"reset": -0.1}, "reset"),
        ({"U": torch.eye(3)}, "U"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        GatePlane(**{"U": U, **arguments})


def calls():
    return {
        GatePlane: {"U": torch.eye(2), "old": [0.5, -0.5], "alone": [0.1, 0.2], "update": 0.5, "reset": 0.5},
    }


def good():
    return {
        GatePlane: {"update": {"zero"}, "reset": {"zero"}},
    }
