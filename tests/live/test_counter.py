"""A learned counter in a real browser: the same counts as torch at every moment; by drag, keyboard and touch."""

import pytest
import torch

from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.live.counter import Counter
from attend.tasks import crossings

T, H = 20, 4
SERIES = {"low": [-1.0] * T, "wave": [1.5 * (-1) ** (t // 4) for t in range(T)]}


def drawn(seed, layers=2):
    torch.manual_seed(seed)
    model = LearnedCounter(Stacked(GRU, 1, H, layers))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape))
    return model


def figure(layers=2, **changed):
    given = {"moments": [drawn(seed, layers).state_dict() for seed in range(3)], "seen": [0, 640, 268_800]}
    return Counter(**{**given, "series": SERIES, "learned": 12, **changed})


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_same_as_torch_at_every_moment(compute, layers):
    made = figure(layers)
    forward, model = compute(made), drawn(9, layers)
    for moment in range(3):
        seen = {name.partition(".")[2]: v for name, v in made.seen().items() if name.startswith(f"{moment}.")}
        model.load_state_dict(seen)
        x = 2 * torch.randn(T, generator=torch.Generator().manual_seed(moment))
        got = forward({"x": x.tolist(), "moment": moment})
        with torch.no_grad():
            says, hidden = model(x[None, :, None])
        torch.testing.assert_close(torch.tensor(got["says"]), says[0, :, 0], rtol=0, atol=1e-5)
        torch.testing.assert_close(torch.tensor(got["hidden"]), torch.cat(hidden), rtol=0, atol=1e-5)
        assert got["ceiling"] == pytest.approx((model.head.bias + model.head.weight.abs().sum()).item(), abs=1e-5)
        assert max(got["says"]) < got["ceiling"]


def test_a_point_takes_its_neighbours_along_and_the_count_follows(mount):
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


def test_a_phone_in_the_dark_the_slider_and_a_fresh_start(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    training = shown.root.get_by_role("slider", name="Training")
    assert training.get_attribute("aria-valuetext") == "after 268,800 series"
    training.press("ArrowLeft")
    assert shown.value()["moment"] == 1
    shown.root.get_by_role("radio", name="wave").check(force=True)
    assert shown.value()["x"] == SERIES["wave"]
    box = shown.root.get_by_role("slider", name="Input 13 and its neighbours").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = shown.page.context.new_cdp_session(shown.page)
    for kind, at in (("touchStart", [x, y]), ("touchMove", [x, y - 30]), ("touchEnd", None)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}] if at else []})
    assert shown.value()["x"][12] != SERIES["wave"][12]
    assert shown.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    shown.root.get_by_role("button", name="Start again").click()
    assert (shown.value()["x"], shown.value()["moment"]) == (SERIES["low"], 2)


def without(name):
    state = drawn(0).state_dict()
    return {key: values for key, values in state.items() if key != name}


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"moments": []}, "moments"),
        ({"moments": [without("head.bias")] * 3}, "moments"),
        ({"moments": [LearnedCounter(Stacked(GRU, 1, H, 2), 5).state_dict()] * 3}, "moments"),
        ({"seen": [0, 1]}, "seen"),
        ({"series": {}}, "series"),
        ({"series": {"a": [0.0] * 8, "b": [0.0] * 9}}, "series"),
        ({"series": {"a": [9.0] * 8}}, "series"),
        ({"learned": 0}, "learned"),
    ],
)
def test_what_it_cannot_show_is_refused(changed, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        figure(**changed)


def calls():
    state = drawn(0).state_dict()
    return {Counter: {"moments": [state], "seen": [64], "series": {"made": [0.5] * 8}, "learned": 5}}
