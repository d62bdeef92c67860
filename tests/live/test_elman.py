"""The vanilla RNN in the plane, in a real browser: the same numbers as torch, by mouse, touch and keyboard."""

import pytest
import torch

from attend.live.elman import ElmanPlane
from attend.memory.elman import RNN

CLOUD = torch.rand(20, 2, generator=torch.Generator().manual_seed(0)) * 2 - 1
U = torch.tensor([[0.9, -0.5], [0.4, 0.8]])


def figure(W=None):
    return ElmanPlane(CLOUD, torch.zeros(2, 2) if W is None else W, U, torch.tensor([0.1, -0.3]))


def drag(shown, locator, dx, dy):
    box, mouse = locator.bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + dx, y + dy, steps=5)
    mouse.up()


def test_same_as_torch(compute):
    forward, unit = compute(figure()), RNN(2, 2, generator=torch.Generator().manual_seed(1)).requires_grad_(False)
    for seed in range(5):
        x = torch.randn(2, generator=torch.Generator().manual_seed(seed))
        weights = {
            "W": unit.from_input.weight.tolist(),
            "U": unit.from_hidden.weight.tolist(),
            "b": unit.from_input.bias.tolist(),
        }
        got = forward({**weights, "x": x.tolist(), "states": CLOUD.tolist()})
        ours = unit.step(x.expand(20, 2), CLOUD)
        torch.testing.assert_close(torch.tensor(got["updates"]), ours, rtol=0, atol=1e-6)
        torch.testing.assert_close(torch.tensor(got["push"]), unit.from_input.weight @ x, rtol=0, atol=1e-6)
        torch.testing.assert_close(torch.tensor(got["linear"]).tanh(), ours, rtol=0, atol=1e-6)


def test_moving_the_input_moves_nothing_until_its_weights_are_not_zero(mount):
    shown = mount(figure())
    before = shown.value()
    drag(shown, shown.root.get_by_role("slider", name="Input x"), 20, -20)
    after = shown.value()
    assert after["x"][0] > before["x"][0]
    assert after["x"][1] > before["x"][1]
    assert after["updates"] == before["updates"]
    drag(shown, shown.root.get_by_role("slider", name="W, row 1, column 1"), 30, 0)
    moved = shown.value()
    assert moved["W"][0][0] == pytest.approx(0.5)
    assert all(
        new[0] > old[0] and new[1] == old[1] for new, old in zip(moved["updates"], after["updates"], strict=True)
    )


def test_the_keyboard_reaches_every_weight_and_start_again_puts_them_back(mount):
    shown = mount(figure())
    before = shown.value()
    for name in ("W, row 2, column 1", "U, row 1, column 2", "b, number 2"):
        shown.root.get_by_role("slider", name=name).press("ArrowUp")
    shown.root.get_by_role("slider", name="Input x").press("Shift+ArrowLeft")
    after = shown.value()
    assert after["W"][1][0] == pytest.approx(0.1)
    assert after["U"][0][1] == pytest.approx(-0.4)
    assert after["b"][1] == pytest.approx(-0.2)
    assert after["x"][0] == pytest.approx(0.0)
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value() == before


def test_updating_again_feeds_the_updates_back(mount):
    shown = mount(figure())
    shown.root.get_by_role("button", name="Another step").click()
    unit = RNN(2, 2).requires_grad_(False)
    unit.load_state_dict(
        {"from_input.weight": torch.zeros(2, 2), "from_hidden.weight": U, "from_input.bias": torch.tensor([0.1, -0.3])}
    )
    twice = unit.step(torch.zeros(20, 2), unit.step(torch.zeros(20, 2), CLOUD))
    torch.testing.assert_close(torch.tensor(shown.value()["updates"]), twice, rtol=0, atol=1e-6)


def test_the_linear_stage_can_leave_the_square(mount):
    shown = mount(figure())
    dots = shown.root.locator("circle.summary")
    before = dots.nth(0).get_attribute("cx")
    shown.root.get_by_text("U h + W x + b").click()
    assert dots.nth(0).get_attribute("cx") != before


def test_touch_on_a_phone(mount):
    shown = mount(figure(W=torch.eye(2)), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="Another step").tap()
    assert shown.value()["steps"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"states": torch.zeros(3, 3)}, "states"),
        ({"states": torch.zeros(201, 2)}, "states"),
        ({"W": torch.full((2, 2), 3.0)}, "W"),
        ({"U": torch.zeros(3, 3)}, "U"),
        ({"b": torch.zeros(1)}, "b"),
        ({"x": [1.0]}, "x"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, name):
    good = {"states": CLOUD, "W": torch.zeros(2, 2), "U": U, "b": torch.zeros(2)}
    with pytest.raises(ValueError, match=f"{name}: got"):
        ElmanPlane(**{**good, **arguments})


def calls():
    return {
        ElmanPlane: {
            "states": torch.full((3, 2), 0.5),
            "W": torch.zeros(2, 2),
            "U": torch.eye(2),
            "b": torch.zeros(2),
            "x": [1.0, 0.5],
        },
    }
