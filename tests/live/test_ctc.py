"""The lattice in a real browser: the same as torch; mouse, touch and keyboard; a recording that can be heard."""

import math

import pytest
import torch

from attend.live.ctc import Lattice
from attend.soft.ctc import ctc_loss, forward_backward
from attend.tasks import speech

FEW = torch.full((3, 11), 1e-9)
FEW[:, [0, 4, 8]] = torch.tensor([[0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.2, 0.1, 0.7]])


def some(T=26, seed=0):
    return torch.randn(T, 11, generator=torch.Generator().manual_seed(seed)).mul(2).log_softmax(1)


def figure(**changed):
    given = {"few": FEW.log(), "early": some(seed=1), "trained": some(), "sound": speech.sound(), "rate": speech.RATE}
    return Lattice(**(given | changed))


@pytest.mark.parametrize("labels", [[4, 8], [4, 4, 8], [1, 1, 1], [9]])
def test_same_as_torch(compute, labels):
    log_probs = some(9).double()
    got = compute(figure())({"probs": log_probs.exp().tolist(), "target": labels})
    target = torch.tensor(labels)
    logits = log_probs.clone().requires_grad_()
    alpha, beta, posterior = forward_backward(logits.log_softmax(1), target)
    there = torch.ones(1, 9, dtype=torch.bool), target[None], torch.ones(1, len(labels), dtype=torch.bool)
    loss = ctc_loss(logits.log_softmax(1)[None], *there)[0]
    (gradient,) = torch.autograd.grad(loss, logits)
    for name, right in (("alpha", alpha.exp()), ("beta", beta.exp()), ("posterior", posterior), ("gradient", gradient)):
        torch.testing.assert_close(torch.tensor(got[name]).double(), right.detach(), atol=1e-8, rtol=1e-6)
    assert got["loss"] == pytest.approx(loss.item(), rel=1e-8)
    assert got["p"] == pytest.approx(math.exp(-loss.item()), rel=1e-8)


def test_what_no_path_says_has_probability_zero(compute):
    got = compute(figure())({"probs": FEW.tolist(), "target": [4, 4, 8]})
    assert got["p"] == 0
    assert got["loss"] == -1


def test_probabilities_travel_as_they_are():
    seen = figure().seen()
    torch.testing.assert_close(seen["few"], FEW)
    assert (seen["sound"].float() / 127.5 - 1 - speech.sound()).abs().max() < 0.005


def test_the_example_by_hand_and_a_probability_that_is_dragged(mount):
    shown = mount(figure())
    first = shown.value()
    assert first["target"] == "37"
    assert first["p"] == pytest.approx(0.613, abs=1e-4)
    assert first["nodes"] == pytest.approx([0, 0.189, 0.28, 0.144, 0], abs=1e-4)
    blank = shown.root.get_by_role("slider", name="Probability of the blank in frame 2")
    box, mouse = blank.bounding_box(), shown.page.mouse
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.move(*at)
    mouse.down()
    mouse.move(at[0], at[1] + 200, steps=5)
    mouse.up()
    assert shown.value()["probs"][0] == 0
    assert sum(shown.value()["probs"]) == pytest.approx(1)
    blank.press("ArrowUp")
    assert shown.value()["probs"][0] == pytest.approx(0.01)
    shown.root.get_by_role("button", name="Light up a path").click()
    assert shown.value()["path"] in {"337", "377", "3_7", "37_", "_37"}
    assert "% of it" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_a_recording_other_digits_and_another_frame(mount):
    shown = mount(figure())
    shown.root.get_by_role("radio", name="the same, trained").press("Space")
    assert shown.value()["which"] == "trained"
    everything = torch.ones(1, 26, dtype=torch.bool), torch.tensor([[4, 4, 8]]), torch.ones(1, 3, dtype=torch.bool)
    assert shown.value()["loss"] == pytest.approx(ctc_loss(some()[None], *everything).item(), rel=1e-4)
    shown.root.get_by_role("slider", name="Frame", exact=True).press("End")
    assert shown.value()["frame"] == 26
    shown.root.locator("svg").first.click(position={"x": 60, "y": 60})
    assert shown.value()["frame"] == 1
    box = shown.root.get_by_role("textbox")
    box.fill("33333333333333")
    assert shown.value()["p"] == 0
    assert "No path says" in shown.root.locator(".says").inner_text()
    box.fill("12x")
    assert "digits, please" in shown.root.locator(".says").inner_text()
    box.fill("8")
    assert shown.value()["target"] == "8"
    shown.root.get_by_role("button", name="Hear the recording").click()
    assert shown.value()["target"] == "8"


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="Light up a path").tap()
    assert len(shown.value()["path"]) == 3
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"target": "3a"}, "target: got"),
        ({"target": ""}, "target: got"),
        ({"said": "1" * 15}, "said: got"),
        ({"rate": 0}, "rate: got"),
        ({"few": torch.zeros(3, 4)}, "few: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)


def calls():
    given = {"few": FEW.log(), "early": some(5), "trained": some(5), "sound": torch.zeros(9), "rate": 8_000}
    return {Lattice: given | {"target": "37", "said": "337"}}
