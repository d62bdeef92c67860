import pytest
import torch

from attend.live.interval import Interval
from attend.memory.interval import Counter, CountingRNN
from attend.tasks import crossings

SERIES = [0.4, 1.6, 2.1, 0.7, -0.6, -1.2, 1.5, 0.6, 0.2, -0.7]


def numbers(network):
    parts = {"A": network.sees, "W": network.from_seen, "R": network.count}
    biases = {"a": network.sees, "b": network.from_seen, "r": network.count}
    weights = {name: part.weight for name, part in parts.items()} | {name: part.bias for name, part in biases.items()}
    return {name: value.detach() for name, value in (weights | {"U": network.from_hidden.weight}).items()}


@pytest.fixture
def figure():
    return Interval(SERIES, step=8)


def drag(shown, locator, by):
    box = locator.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + by[0], y + by[1], steps=4)
    shown.page.mouse.up()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_page_and_torch_agree_at_every_step(compute, figure, seed):
    generator = torch.Generator().manual_seed(seed)
    forward = compute(figure)
    series = torch.randint(-20, 31, (20, 10), generator=generator).double() / 10
    kept = torch.randint(-20, 31, (20,), generator=generator).double() / 10
    for x, before in zip(series, kept, strict=True):
        start = torch.stack([before, torch.zeros_like(before)])[None]
        h, _ = Counter()(x[None, :, None], start)
        result = forward({"x": x.tolist(), "kept": before.item()})
        assert result["h"] == [start[0].tolist(), *h[0].tolist()]


def test_the_learned_network_says_what_torch_says(compute):
    torch.manual_seed(0)
    network = CountingRNN(features=5, hidden_size=7)
    forward = compute(Interval(SERIES, step=0, weights=numbers(network)))
    for x in crossings.paths(5, 10, 1.0, torch.Generator().manual_seed(0)):
        with torch.no_grad():
            expected = network(x[None, :, None])[0][0].tolist()
        assert forward({"x": x.tolist(), "kept": -1})["learned"] == pytest.approx(expected, abs=1e-5)


def test_a_point_dragged_out_of_the_band_takes_its_entrance_along(mount, figure):
    shown = mount(figure)
    assert shown.value()["entrances"] == 3
    drag(shown, shown.root.get_by_role("slider", name="Input 4"), (0, -60))
    assert shown.value()["x"][3] > 1
    assert shown.value()["entrances"] == 2


def test_the_whole_series_moves_by_key_and_by_mouse(mount, figure):
    shown = mount(figure)
    line = shown.root.get_by_role("slider", name="The whole series")
    line.press("ArrowUp")
    assert shown.value()["x"] == pytest.approx([value + 0.1 for value in SERIES])
    box = shown.root.get_by_role("slider", name="Input 1", exact=True).bounding_box()
    other = shown.root.get_by_role("slider", name="Input 2", exact=True).bounding_box()
    x, y = ((box[k] + other[k] + box[s] / 2 + other[s] / 2) / 2 for k, s in (("x", "width"), ("y", "height")))
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x, y - 500, steps=5)
    shown.page.mouse.up()
    assert max(shown.value()["x"]) == 3
    assert shown.value()["entrances"] == 2


def test_stepping_shows_both_coordinates(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("slider", name="Steps read").press("ArrowLeft")
    assert shown.value()["h"] == [1.5, 2]
    assert "no entrance, the count stays 2" in shown.root.get_by_role("status").inner_text()
    for _ in range(8):
        shown.root.get_by_role("slider", name="Steps read").press("ArrowLeft")
    assert shown.value()["step"] == 0
    assert shown.value()["h"] == [-1, 0]


def test_a_start_inside_loses_the_first_entrance(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("slider", name="The last input that h 0 holds").press("Shift+ArrowUp")
    assert shown.value()["kept"] == 0
    assert shown.value()["entrances"] == 2
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value()["kept"] == -1
    assert shown.value()["entrances"] == 3


def test_it_works_by_touch_on_a_phone(mount, figure):
    shown = mount(figure, width=344, has_touch=True)
    box = shown.root.get_by_role("slider", name="Input 9").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = shown.page.context.new_cdp_session(shown.page)
    for kind, at in (("touchStart", [x, y]), ("touchMove", [x, y + 60]), ("touchEnd", None)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}] if at else []})
    assert shown.value()["x"][8] < 0
    assert shown.value()["x"][:8] == SERIES[:8]


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [("series", [0.0, 1.0]), ("series", [0.0, 4.0, 0.0, 0.0]), ("step", 11), ("kept", float("nan"))],
)
def test_what_it_cannot_show_is_refused(argument, wrong):
    with pytest.raises(ValueError, match=f"{argument}: got"):
        Interval(**{"series": SERIES, "step": 0, argument: wrong})


def calls():
    return {
        Interval: {"series": [0.5, 2.0, 0.25, -1.0], "step": 2, "kept": -1.0, "weights": None},
    }


def good():
    return {
        Interval: {"step": {"zero"}},
    }
