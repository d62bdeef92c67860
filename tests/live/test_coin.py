"""Coins in a real browser: the same numbers as torch, by mouse, touch and keyboard."""

import itertools

import pytest
import torch

from attend.live.coin import Coin
from attend.memory.coin import Tally, read
from attend.recipes.coin import CoinRecipe

FLIPS = [1, 1, 0, 1, 0, 1, 1, 0, 1, 0]


def figure():
    trained = CoinRecipe().load()
    weights = {"W": trained.from_input.weight, "U": trained.from_hidden.weight, "b": trained.from_input.bias}
    return Coin(FLIPS, weights | {"readout": trained.head.weight[0], "bias": trained.head.bias})


def test_same_as_torch(compute):
    forward, model = compute(figure()), CoinRecipe().load()
    for flips in itertools.islice(itertools.product([0.0, 1.0], repeat=10), 0, 1024, 97):
        got, series = forward({"flips": list(flips)}), torch.tensor([flips])
        assert got["exact"] == pytest.approx(read(Tally(), series.double())[0, -1].item(), abs=1e-12)
        with torch.no_grad():
            torch_says = read(model, series)[0]
        assert got["learned"] == pytest.approx(torch_says.tolist(), abs=1e-6)


def test_a_shuffle_moves_the_path_and_not_its_end(mount):
    shown = mount(figure())
    before, path = shown.value(), shown.root.locator("path.input").get_attribute("d")
    shown.root.get_by_role("button", name="Shuffle").click()
    while shown.root.locator("path.input").get_attribute("d") == path:
        shown.root.get_by_role("button", name="Shuffle").click()
    after = shown.value()
    assert sorted(after["flips"]) == sorted(FLIPS)
    assert (after["heads"], after["exact"]) == (before["heads"], before["exact"])


def test_the_keyboard_flips_and_moves_coins(mount):
    shown = mount(figure())
    first = shown.root.get_by_role("button", name="Flip 1 of 10")
    first.press("Enter")
    assert shown.value()["flips"] == [0, *FLIPS[1:]]
    shown.root.get_by_role("button", name="Flip 1 of 10").press("Shift+ArrowRight")
    assert shown.value()["flips"] == [1, 0, *FLIPS[2:]]
    assert shown.value()["heads"] == 5


def test_dragging_a_coin_moves_it(mount):
    shown = mount(figure())
    boxes = [shown.root.get_by_role("button", name=f"Flip {n} of 10").bounding_box() for n in (3, 1)]
    mouse = shown.page.mouse
    mouse.move(boxes[0]["x"] + 10, boxes[0]["y"] + 20)
    mouse.down()
    mouse.move(boxes[1]["x"] + 10, boxes[1]["y"] + 20, steps=6)
    mouse.up()
    assert shown.value()["flips"] == [0, 1, 1, *FLIPS[3:]]
    assert shown.value()["heads"] == 6


def test_touch_flips_a_coin_on_a_phone(mount):
    shown = mount(figure(), width=360, has_touch=True)
    shown.root.get_by_role("button", name="Flip 2 of 10").tap()
    assert shown.value()["flips"] == [1, 0, *FLIPS[2:]]


@pytest.mark.parametrize("flips", [[1], [1] * 13, [0, 2], [0, 0.5]])
def test_bad_flips_are_refused(flips):
    with pytest.raises(ValueError, match="flips: got"):
        Coin(flips, {})


def calls():
    WEIGHTS = {
        "W": torch.ones(4, 1),
        "U": torch.eye(4),
        "b": torch.zeros(4),
        "readout": torch.ones(4),
        "bias": torch.zeros(1),
    }
    return {
        Coin: {"flips": [1, 0, 1], "weights": WEIGHTS},
    }
