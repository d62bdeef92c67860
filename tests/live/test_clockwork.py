"""The clockwork in a real browser: the same wave as torch, and clocks that stop by mouse, touch and keyboard."""

import pytest
import torch

from attend.live.clockwork import Clockwork
from attend.recipes.clockwork import PERIODS, WaveRecipe
from attend.tasks import wave

T = 320


def parts():
    model = WaveRecipe().load().requires_grad_(False)
    unit = model.rnn
    return model, {
        "W": unit.from_input.weight,
        "U": unit.from_hidden.weight,
        "b": unit.from_input.bias,
        "R": model.readout.weight,
        "c": model.readout.bias,
    }


def figure(stops=None):
    return Clockwork(wave.recording(), PERIODS, parts()[1], stops)


def reference(stops, ahead):
    """Every unit at every step, with clocks that stop or run ahead."""
    model, w = parts()
    period = torch.tensor(PERIODS).repeat_interleave(3)
    stop = torch.tensor(stops).repeat_interleave(3)
    U = w["U"] * (period[None, :] >= period[:, None])
    h, held = torch.zeros(1, 27), []
    for t in range(T):
        new = torch.tanh((w["W"][:, 0] if t == 0 else 0) + h @ U.T + w["b"])
        h = torch.where(((t + ahead) % period == 0) & (t < stop), new, h)
        held.append(h)
    return model.readout(torch.stack(held, dim=1))[0, :, 0], torch.cat(held)


def test_the_wave_is_the_one_that_torch_makes(compute):
    got = compute(figure())({"stops": [T] * 9, "ahead": 0})
    model = parts()[0]
    said, held = model(wave.start_signal(T))
    assert got["wave"] == pytest.approx(said[0].tolist(), abs=1e-4)
    assert torch.allclose(torch.tensor(got["held"]), held[0], atol=1e-4)
    assert got["error"] == pytest.approx(wave.cost(said, wave.recording()).item(), abs=1e-4)
    assert got["ticks"] == sum(3 * -(-T // period) for period in PERIODS)


@pytest.mark.parametrize(("stopped", "at", "ahead"), [(0, 0, 0), (4, 200, 0), (8, 10, 0), (8, 320, 5), (2, 77, 31)])
def test_stopped_and_misset_clocks_do_as_the_dense_reference_does(compute, stopped, at, ahead):
    stops = [at if group == stopped else T for group in range(9)]
    got = compute(figure())({"stops": stops, "ahead": ahead})
    said, held = reference(stops, ahead)
    assert torch.allclose(torch.tensor(got["held"]), held, atol=1e-3)
    assert got["wave"] == pytest.approx(said.tolist(), abs=1e-3)


def test_a_stopped_clock_moves_the_faster_rows_and_no_slower_one(mount):
    shown = mount(figure())
    assert shown.value()["astray"] == []
    shown.root.get_by_role("slider", name="Clock of period 16", exact=True).press("Home")
    assert shown.value()["stops"][4] == 0
    assert 16 in shown.value()["astray"]
    assert set(shown.value()["astray"]) <= {1, 2, 4, 8, 16}
    assert shown.value()["error"] > 0.3
    shown.root.get_by_role("button", name="Wind all clocks").press("Enter")
    assert shown.value()["stops"] == [T] * 9
    assert shown.value()["error"] < 0.01


def test_arrow_keys_move_the_stop(mount):
    shown = mount(figure({16: 200}))
    row = shown.root.get_by_role("slider", name="Clock of period 16", exact=True)
    row.press("ArrowLeft")
    assert shown.value()["stops"][4] == 192
    row.press("Shift+ArrowRight")
    assert shown.value()["stops"][4] == 256
    assert row.get_attribute("aria-valuetext") == "stops at step 256"
    row.press("End")
    assert row.get_attribute("aria-valuetext") == "ticks to the end"


@pytest.mark.parametrize("touch", [False, True])
def test_dragging_along_a_row_stops_its_clock(mount, touch):
    shown = mount(figure(), width=360, has_touch=touch)
    box = shown.root.get_by_role("slider", name="Clock of period 1", exact=True).bounding_box()
    x, y = box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2
    if touch:
        shown.page.touchscreen.tap(x, y)
    else:
        shown.page.mouse.move(x, y)
        shown.page.mouse.down()
        shown.page.mouse.move(x - 40, y, steps=4)
        shown.page.mouse.up()
    stop = shown.value()["stops"][0]
    assert (100 < stop < 220) if touch else (20 < stop < 160)
    assert shown.value()["stops"][1:] == [T] * 8
    assert shown.value()["astray"] == [1]


@pytest.mark.parametrize("width", [360, 320])
def test_on_a_phone_the_track_of_a_slider_gives_way_and_its_words_stay_on_one_line(mount, width):
    track = mount(figure(), width=width).root.get_by_role("slider", name="Clocks ahead")
    control = track.locator("xpath=..")
    assert control.bounding_box()["height"] < 40
    assert control.bounding_box()["x"] + control.bounding_box()["width"] <= width
    assert track.bounding_box()["width"] >= 80


def test_clocks_set_ahead_spoil_the_wave(mount):
    shown = mount(figure())
    shown.root.get_by_role("slider", name="Clocks ahead").press("ArrowRight")
    assert shown.value()["ahead"] == 1
    assert shown.value()["error"] > 0.3


def test_bad_input_is_refused_by_name():
    good = {"wave": wave.recording(), "periods": PERIODS, "weights": parts()[1]}
    for name, bad in (
        ("wave", torch.zeros(320)),
        ("wave", torch.full((320,), torch.nan)),
        ("wave", torch.zeros(3, 3)),
        ("periods", (2, 1)),
        ("periods", ()),
        ("weights", {"b": torch.zeros(27)}),
        ("stops", {3: 10}),
        ("stops", {4: 321}),
    ):
        with pytest.raises(ValueError, match=f"{name}: got"):
            Clockwork(**good | {name: bad})


def calls():
    WEIGHTS = {
        "W": torch.ones(4, 1),
        "U": torch.eye(4),
        "b": torch.zeros(4),
        "R": torch.ones(1, 4),
        "c": torch.zeros(1),
    }
    return {
        Clockwork: {"wave": torch.tensor([0.0, 1.0, 0.0]), "periods": (1, 2), "weights": WEIGHTS, "stops": {2: 1}},
    }
