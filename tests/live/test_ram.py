"""The first glimpse is placed by mouse, finger and keys; glimpses are played and drawn by chance; ink is drawn."""

import pytest
import torch
from tests.live import searching
from tests.live.searching import WIDTH, T, in_torch, same, some_images

from attend.hard.ram import RAM
from attend.live.ram import Glimpses
from attend.tasks import signs


@pytest.fixture
def figure():
    return searching.figure()


def pad(shown):
    return shown.root.get_by_role("slider", name="The canvas")


def shows(shown, figure, image):
    """What the page publishes is what torch says at the published places."""
    value = shown.value()
    looks = in_torch(figure)(image[None], steps=T, given=torch.tensor(value["places"])[None])
    chances = looks.logits.softmax(2)[0]
    assert same(value["chances"], chances, abs=1e-3)
    last = chances[value["shown"] - 1]
    assert last[value["named"]].item() == pytest.approx(last.max().item(), abs=1e-3)
    return value


def test_it_begins_with_all_glimpses_of_its_own(mount, figure):
    shown = mount(figure)
    value = shows(shown, figure, some_images(figure)[1])
    assert (value["shown"], value["canvas"], value["way"]) == (T, 1, "own")
    off = signs.distance(torch.tensor(value["places"])[None], searching.crowd().middles[1:2], WIDTH)[0, -1]
    assert value["off"] == pytest.approx(off.item(), abs=0.01)
    assert (
        f"says {searching.NAMES[searching.crowd().labels[1]]}; its middle is {off:.1f} pixels from the last glimpse"
        in shown.root.locator("p.says").inner_text()
    )


def test_keys_place_the_first_glimpse_by_whole_pixels(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("radio", name="yours").press("Space")
    assert shown.value()["places"][0] == [-0.8, -0.8]
    for key, pixels in [
        ("ArrowRight", (6, 7)),
        ("Shift+ArrowDown", (10, 7)),
        ("ArrowUp", (9, 7)),
        ("ArrowLeft", (9, 6)),
    ]:
        pad(shown).press(key)
        assert shown.value()["places"][0] == pytest.approx([2 * at / WIDTH - 1 for at in pixels])
        shows(shown, figure, some_images(figure)[1])
    for _ in range(4):
        pad(shown).press("Shift+ArrowLeft")
    assert shown.value()["places"][0][1] == -1
    shown.root.get_by_role("radio", name="its own").press("Space")
    assert shown.value()["places"][0] == pytest.approx(
        in_torch(figure).choose(torch.zeros(1, 64), 0.0)[0][0].tolist(), abs=1e-5
    )


def test_the_mouse_drags_the_first_glimpse(mount, figure):
    shown = mount(figure)
    box, mouse = pad(shown).bounding_box(), shown.page.mouse
    each = box["width"] / WIDTH
    mouse.move(box["x"] + 12 * each, box["y"] + 50 * each)
    mouse.down()
    assert shown.value()["places"][0] == pytest.approx([2 * 50 / WIDTH - 1, 2 * 12 / WIDTH - 1])
    mouse.move(box["x"] + 30 * each, box["y"] + 45 * each, steps=4)
    mouse.up()
    mouse.move(box["x"] + 5 * each, box["y"] + 5 * each)
    assert shown.value()["way"] == "given"
    assert shown.value()["places"][0] == pytest.approx([0.5, 0.0])
    shows(shown, figure, some_images(figure)[1])


def test_a_finger_drags_the_first_glimpse_on_a_phone(mount, figure):
    shown = mount(figure, width=360, has_touch=True)
    box = pad(shown).bounding_box()
    each = box["width"] / WIDTH
    at = [{"x": box["x"] + (30 + step) * each, "y": box["y"] + 15 * each} for step in (0, 6, 15)]
    finger = shown.page.context.new_cdp_session(shown.page)
    for kind, points in [("touchStart", at[:1]), ("touchMove", at[1:2]), ("touchMove", at[2:]), ("touchEnd", [])]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert shown.value()["places"][0] == pytest.approx([-0.5, 0.5])
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_glimpses_can_be_shown_one_by_one(mount, figure):
    shown = mount(figure)
    pad(shown).press("Space")
    assert shown.value()["shown"] == 1
    pad(shown).press("Enter")
    assert shown.value()["shown"] == 2
    shown.root.get_by_role("slider", name="Glimpses").press("ArrowRight")
    assert shown.value()["shown"] == 3
    assert "After 3 glimpses" in shown.root.locator("p.says").inner_text()
    shows(shown, figure, some_images(figure)[1])


def test_it_plays_and_a_key_stops_it(mount, figure):
    shown = mount(figure)
    shown.page.clock.install()
    shown.root.get_by_role("button", name="Play").press("Enter")
    seen = []
    for _ in range(T):
        shown.page.clock.run_for(800)
        seen.append(shown.value()["shown"])
    assert seen == [1, 2, 3, 4]
    shown.root.get_by_role("button", name="Play").press("Enter")
    shown.page.clock.run_for(1600)
    pad(shown).press("ArrowLeft")
    shown.page.clock.run_for(4000)
    assert shown.value()["shown"] == 2


def test_little_motion_shows_all_at_once(mount, figure):
    shown = mount(figure, reduced_motion="reduce")
    pad(shown).press("Space")
    assert shown.value()["shown"] == 1
    shown.root.get_by_role("button", name="Play").press("Enter")
    assert shown.value()["shown"] == T


def test_places_by_chance_stay_until_drawn_again(mount, figure):
    shown = mount(figure)
    own = shown.value()["places"]
    again = shown.root.get_by_role("button", name="Draw again")
    assert again.is_disabled()
    shown.root.get_by_role("radio", name="at random").press("Space")
    drawn = shown.value()["places"]
    assert drawn[0] != own[0]
    shows(shown, figure, some_images(figure)[1])
    again.press("Enter")
    assert shown.value()["places"] != drawn
    shown.root.get_by_role("radio", name="at their means").press("Space")
    assert shown.value()["places"] == own
    shown.root.get_by_role("button", name="Canvas 1 of 4").press("Enter")
    other = mount(figure)
    other.root.get_by_role("radio", name="at random").press("Space")
    assert other.value()["places"] == drawn


@pytest.mark.nightly
def test_noise_is_normal(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("radio", name="at random").press("Space")
    mean = in_torch(figure).choose(torch.zeros(1, 64), 0.0)[0][0]
    again, firsts = shown.root.get_by_role("button", name="Draw again"), []
    for _ in range(150):
        again.dispatch_event("click")
        firsts.append(shown.value()["places"][0])
    noise = (torch.tensor(firsts) - mean) / 0.2
    assert noise.mean(0).abs().max() < 3 / 150**0.5
    assert noise.std(0).tolist() == pytest.approx([1, 1], abs=3 / 300**0.5)
    assert torch.corrcoef(noise.T)[0, 1].abs() < 3 / 150**0.5


def test_a_digit_is_drawn_by_mouse_on_an_empty_canvas(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="Empty canvas").press("Enter")
    assert shown.value()["ink"] == 0
    assert shown.value()["canvas"] is None
    assert shown.value()["tool"] == "draw"
    shows(shown, figure, torch.zeros(WIDTH, WIDTH))
    empty = shown.value()["chances"]
    box, mouse = pad(shown).bounding_box(), shown.page.mouse
    each = box["width"] / WIDTH
    mouse.move(box["x"] + 40 * each, box["y"] + 15 * each)
    mouse.down()
    mouse.move(box["x"] + 40 * each, box["y"] + 40 * each, steps=5)
    mouse.up()
    assert 50 < shown.value()["ink"] < 150
    assert shown.value()["chances"] != empty
    assert "The digit is" not in shown.root.locator("p.says").inner_text()


def test_keys_draw_and_erase(mount, figure):
    shown = mount(figure)
    ink = shown.value()["ink"]
    shown.root.get_by_role("radio", name="draw").press("Space")
    pad(shown).press("ArrowLeft")
    assert shown.value()["ink"] == ink
    for key in ["Space", "Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowLeft", "Space"]:
        pad(shown).press(key)
    drawn = shown.value()["ink"]
    assert drawn > ink + 5
    shown.root.get_by_role("radio", name="erase").press("Space")
    for key in ["Space", "Shift+ArrowRight", "Shift+ArrowDown", "Space"]:
        pad(shown).press(key)
    assert shown.value()["ink"] < drawn - 5
    shown.root.get_by_role("button", name="Canvas 2 of 4").press("Enter")
    assert shown.value()["ink"] == pytest.approx(ink)
    assert (shown.value()["tool"], shown.value()["canvas"]) == ("look", 1)


def test_another_canvas_is_looked_at(mount, figure):
    shown = mount(figure)
    for i in (0, 3):
        button = shown.root.get_by_role("button", name=f"Canvas {i + 1} of 4")
        button.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        assert shows(shown, figure, some_images(figure)[i])["canvas"] == i


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"canvases": torch.zeros(9, 60, 60), "middles": torch.zeros(9, 2)}, "canvases: got"),
        ({"canvases": torch.zeros(2, 60, 50)}, "canvases: got"),
        ({"canvases": torch.zeros(2, 80, 80)}, "canvases: got"),
        ({"labels": [1]}, "labels: got"),
        ({"labels": [1, 3]}, "labels: got"),
        ({"names": ["a", "b"]}, "names: got"),
        ({"middles": torch.zeros(3, 2)}, "middles: got"),
        ({"weights": {"what.bias": torch.eye(2)}}, "weights: got"),
        ({"glimpses": 0}, "glimpses: got 0"),
        ({"start": 2}, "start: got 2"),
        ({"first": (0.0, 1.1)}, "first: got"),
        ({"sigma": 0.0}, "sigma: got 0.0"),
        ({"size": 11}, "size: got 11"),
        ({"scales": 2}, "scales: got 2"),
    ],
)
def test_what_it_cannot_show_is_refused(wrong, says):
    good = {
        "canvases": torch.zeros(2, 60, 60),
        "labels": [1, 2],
        "middles": torch.zeros(2, 2),
        "weights": searching.unlearned(),
        "names": searching.NAMES,
    }
    with pytest.raises(ValueError, match=says):
        Glimpses(**(good | wrong))


def calls():
    MODEL = RAM(3, 2, crop_size=4, num_scales=2)
    return {
        Glimpses: {
            "canvases": torch.ones(2, 20, 20),
            "labels": [3, 4],
            "middles": torch.zeros(2, 2),
            "weights": MODEL.state_dict(),
            "names": [str(k) for k in range(10)],
            "glimpses": 3,
            "start": 1,
            "first": (0.1, 0.2),
            "sigma": 0.2,
            "size": 4,
            "scales": 2,
        },
    }


def good():
    return {
        Glimpses: {"start": {"zero"}},
    }
