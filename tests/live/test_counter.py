"""The taught counter in a real browser: the same chances as torch at every moment; by drag, keyboard and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.gating.counter import LearnedCounter
from attend.gating.gru import GRU
from attend.live.counter import Counter
from attend.recipes.counter import SAVED, CounterRecipe
from attend.tasks import crossings

T = 20
SERIES = {"low": [-1.0] * T, "wave": [1.5 * (-1) ** (t // 4) for t in range(T)]}


def shaken(seed, H=4, V=5):
    generator = torch.Generator().manual_seed(seed)
    model = LearnedCounter(GRU(1, H, generator=generator), V, generator)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator))
    return model


def stacked(models):
    names = {
        "W": "rnn.from_input.weight",
        "U": "rnn.from_hidden.weight",
        "b": "rnn.from_input.bias",
        "readout": "readout.weight",
        "bias": "readout.bias",
    }
    states = [model.state_dict() for model in models]
    return {ours: torch.stack([state[theirs] for state in states]) for ours, theirs in names.items()}


def figure(models=None, **changed):
    models = models or [shaken(0), shaken(1), shaken(2)]
    H = models[0].rnn.hidden_size
    given = {"seen": list(range(len(models))), "series": SERIES, "order": list(range(H))}
    return Counter(**{**stacked(models), **given, **changed})


def as_the_browser_sees(made, model, moment):
    """The model with the weights of one moment, after their rounding to float16."""
    seen = {name: values[moment] for name, values in made.seen().items()}
    with torch.no_grad():
        model.rnn.from_input.weight.copy_(seen["W"])
        model.rnn.from_hidden.weight.copy_(seen["U"])
        model.rnn.from_input.bias.copy_(seen["b"])
        model.readout.weight.copy_(seen["readout"])
        model.readout.bias.copy_(seen["bias"])
    return model


def agrees(got, model, x, atol):
    with torch.no_grad():
        logits, hidden = model(x[None, :, None])
        h = torch.cat([torch.zeros(1, model.rnn.hidden_size), hidden[0, :-1]])
        gates = model.rnn.gates(x[:, None], h)
    for name, wanted in {
        "chances": logits[0].softmax(-1),
        "summary": hidden[0],
        "keep": gates.update,
        "reset": gates.reset,
    }.items():
        torch.testing.assert_close(torch.tensor(got[name]), wanted, rtol=0, atol=atol)


@pytest.mark.parametrize("moment", [0, 1, 2])
def test_same_as_torch_at_every_moment(compute, moment):
    made = figure()
    forward, model = compute(made), as_the_browser_sees(made, shaken(9), moment)
    for seed in range(4):
        x = 2 * torch.randn(T, generator=torch.Generator().manual_seed(seed))
        agrees(forward({"x": x.tolist(), "moment": moment}), model, x, atol=1e-5)


def test_the_trained_counter_says_the_same_in_the_browser(compute):
    recipe = CounterRecipe()
    models = [recipe.load(epoch) for epoch in SAVED]
    x = crossings.paths(6, generator=torch.Generator().manual_seed(5)).clamp(-3.5, 3.5)
    made = figure(models, series={"made": x[0].tolist()})
    forward = compute(made)
    for moment, epoch in enumerate(SAVED):
        model = as_the_browser_sees(made, recipe.load(epoch), moment)
        for series in x:
            agrees(forward({"x": series.tolist(), "moment": moment}), model, series, atol=2e-4)
    exact = recipe.load()
    x, counts = crossings.sample(500, generator=torch.Generator().manual_seed(6))
    rounded = as_the_browser_sees(made, recipe.load(), len(SAVED) - 1)
    assert crossings.exact(rounded.count(x), counts) == crossings.exact(exact.count(x), counts)


def test_a_point_takes_its_neighbours_along(mount):
    shown = mount(figure())
    point = shown.root.get_by_role("slider", name="Input 8 and its neighbours")
    point.press("Shift+ArrowUp")
    x = shown.value()["x"]
    assert x[7] == pytest.approx(-0.5)
    assert x[0] < x[4] < x[6] < x[7] > x[8] > x[12] > x[19] == pytest.approx(-1, abs=0.01)
    point.press("Shift+ArrowUp")
    after = shown.value()
    assert after["truly"] == crossings.entrances(torch.tensor([after["x"]]))[0].tolist()
    assert after["truly"][-1] == 1


def test_dragging_by_mouse_and_by_finger(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    box = shown.root.get_by_role("slider", name="Input 13 and its neighbours").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = shown.page.context.new_cdp_session(shown.page)
    for kind, at in (("touchStart", [x, y]), ("touchMove", [x, y - 50]), ("touchEnd", None)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}] if at else []})
    moved = shown.value()["x"][12]
    assert moved > 0
    shown.page.mouse.move(x, y - 50)
    shown.page.mouse.down()
    shown.page.mouse.move(x, y + 10, steps=3)
    shown.page.mouse.up()
    assert shown.value()["x"][12] < moved
    overflow = shown.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0


def test_the_slider_goes_through_the_training(mount):
    models = [shaken(0), shaken(1), shaken(2)]
    made = figure(models, seen=[0, 6400, 268800])
    shown = mount(made)
    training = shown.root.get_by_role("slider", name="Training")
    x = torch.tensor(SERIES["low"])[None, :, None]
    assert training.get_attribute("aria-valuetext") == "after 268,800 series"
    for moment in (2, 1, 0):
        assert shown.value()["moment"] == moment
        model = as_the_browser_sees(made, shaken(9), moment)
        assert shown.value()["said"] == model.count(x)[0].tolist()
        training.press("ArrowLeft")


def test_series_and_rows_are_chosen_and_reset(mount):
    shown = mount(figure())
    shown.root.get_by_role("radio", name="wave").check(force=True)
    assert shown.value()["x"] == SERIES["wave"]
    blue = shown.root.locator(".cells .gate")
    expect(blue).to_have_count(0)
    shown.root.get_by_role("radio", name="keep gate z").check(force=True)
    expect(blue).to_have_count(4 * T)
    expect(shown.root.locator(".says")).to_contain_text("It is right at")
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value()["x"] == SERIES["low"]
    assert shown.value()["part"] == "summary"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"W": torch.zeros(3, 8, 1), "U": torch.zeros(3, 8, 4), "b": torch.zeros(3, 8)}, "U: got"),
        ({"seen": [0, 1]}, "seen: got"),
        ({"order": [0, 1, 2, 2]}, "order: got"),
        ({"series": {}}, "series: got"),
        ({"series": {"a": [0.0] * 8, "b": [0.0] * 9}}, "series: got"),
        ({"series": {"a": [9.0] * 8}}, "series: got"),
    ],
)
def test_what_it_cannot_show_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        figure(**changed)


def calls():
    E = 2
    H = 3
    V = 4
    return {
        Counter: {
            "W": torch.zeros(E, 3 * H, 1),
            "U": torch.zeros(E, 3 * H, H),
            "b": torch.zeros(E, 3 * H),
            "readout": torch.zeros(E, V, H),
            "bias": torch.zeros(E, V),
            "seen": [0, 64],
            "series": {"made": [0.5] * 8},
            "order": [2, 0, 1],
        },
    }
