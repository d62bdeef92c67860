"""Gradient descent in the browser: the same steps as torch, and two sliders."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from attend.live.training import Descent

COUNTS = torch.tensor([[5.0, 3.0, 2.0, 0.0], [0.0, 9.0, 0.0, 0.0]])


def figure():
    return Descent(COUNTS, after="eq", alphabet=".equ")


@pytest.mark.parametrize(("after", "rate"), [("e", 0.3), ("e", 4.0), ("q", 50.0)])
def test_same_as_torch(compute, after, rate):
    got = compute(figure())({"after": after, "rate": rate, "step": 7})
    row = COUNTS["eq".index(after)].double()
    shares, z = row / row.sum(), torch.zeros(4, dtype=torch.float64, requires_grad=True)
    descent, losses = torch.optim.SGD([z], lr=rate), []
    for step in range(61):
        loss = cross_entropy(z, shares)
        descent.zero_grad()
        loss.backward()
        losses.append(loss.item() / torch.tensor(2.0).log().item())
        if step == 7:
            torch.testing.assert_close(torch.tensor(got["logits"]), z.detach().float(), rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(torch.tensor(got["gradient"]), z.grad.float(), rtol=1e-4, atol=1e-6)
        descent.step()
    assert got["losses"] == pytest.approx(losses, rel=1e-4, abs=1e-5)


def test_the_sliders_and_start_again(mount):
    shown = mount(figure())
    before = shown.value()
    shown.root.get_by_role("slider", name="Learning rate").press("ArrowRight")
    shown.root.get_by_role("slider", name="Step").press("ArrowRight")
    shown.root.locator("fieldset").get_by_text("q", exact=True).click()
    after = shown.value()
    assert (after["after"], after["step"]) == ("q", before["step"] + 1)
    assert after["rate"] > before["rate"]
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value() == before


def test_on_a_phone(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"after": "e"}, "after"),
        ({"alphabet": ".eq"}, "alphabet"),
        ({"counts": torch.zeros(2, 4)}, "counts"),
        ({"counts": -COUNTS}, "counts"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        Descent(**({"counts": COUNTS, "after": "eq", "alphabet": ".equ"} | arguments))


def calls():
    return {Descent: {"counts": COUNTS, "after": "eq", "alphabet": ".equ"}}
