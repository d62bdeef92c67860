"""The retina in the page is that of torch; the location moves by mouse, finger and keys; one can draw on the canvas."""

import pytest
import torch

from attend.hard.glimpse import corners, glimpse
from attend.live.glimpse import Glimpse
from attend.tasks import search


@pytest.fixture
def figure():
    canvases = search.canvases("test", 3, torch.Generator().manual_seed(0)).images
    return Glimpse(canvases, location=(0.2, -0.4))


def shown_image(figure, which=0):
    return figure.seen()["canvases"][which].float() / 255


def sharp(image, location, size=12):
    return glimpse(image[None], torch.tensor([location]), size, 1).sum().item()


@pytest.mark.parametrize("size", [8, 12, 16])
@pytest.mark.parametrize("scales", [1, 2, 3, 4])
def test_every_number_of_a_glimpse_is_that_of_torch(compute, figure, size, scales):
    forward, image = compute(figure), shown_image(figure)
    drawn = 2 * torch.rand(6, 2, generator=torch.Generator().manual_seed(0)) - 1
    edges = torch.tensor([[0.0, 0.0], [-1, -1], [1, 1], [-1, 0.3], [2, -2], [0.25, -0.75]])
    for location in torch.cat([edges, drawn]):
        wanted = glimpse(image[None], location[None], size, scales)
        asked = {"image": image.flatten().tolist(), "location": location.tolist(), "size": size, "scales": scales}
        result = forward(asked)
        assert result["crops"] == pytest.approx(wanted.flatten().tolist(), abs=1e-5)
        assert result["corner"] == corners(location[None], 60, 60, size * 2 ** (scales - 1))[0].tolist()


def pad(shown):
    return shown.root.get_by_role("slider", name="The location on the canvas")


def test_it_begins_as_the_page_says(mount, figure):
    value = mount(figure).value()
    assert value["location"] == pytest.approx([0.2, -0.4])
    assert (value["handed"], value["reach"], value["hidden"]) == (432, 48, False)
    assert value["seen"] == pytest.approx(sharp(shown_image(figure), (0.2, -0.4)), abs=1e-2)


def test_keys_move_the_place_by_pixels(mount, figure):
    shown = mount(figure)  # from row 36, column 18 on
    for key, row, column in [("ArrowRight", 36, 19), ("Shift+ArrowUp", 32, 19), ("ArrowDown", 33, 19)]:
        pad(shown).press(key)
        location = [row / 30 - 1, column / 30 - 1]
        assert shown.value()["location"] == pytest.approx(location)
        assert shown.value()["seen"] == pytest.approx(sharp(shown_image(figure), location), abs=1e-2)
    for _ in range(20):
        pad(shown).press("Shift+ArrowLeft")
    assert shown.value()["location"][1] == -1


def at(shown, row, column):
    box = pad(shown).bounding_box()
    return box["x"] + column * box["width"] / 60, box["y"] + row * box["height"] / 60


def test_the_mouse_drags_the_place(mount, figure):
    shown = mount(figure)
    mouse = shown.page.mouse
    mouse.move(*at(shown, 15, 45))
    mouse.down()
    assert shown.value()["location"] == pytest.approx([-0.5, 0.5], abs=0.02)
    mouse.move(*at(shown, 45, 30), steps=5)
    mouse.up()
    mouse.move(*at(shown, 5, 5))
    assert shown.value()["location"] == pytest.approx([0.5, 0], abs=0.02)


def test_scales_and_widths_say_what_they_cost(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("group", name="Scales").get_by_role("radio", name="1").press("Space")
    assert (shown.value()["handed"], shown.value()["reach"]) == (144, 12)
    shown.root.get_by_role("group", name="Scales").get_by_role("radio", name="4").press("Space")
    shown.root.get_by_role("group", name="Width of a crop").get_by_role("radio", name="16").press("Space")
    assert (shown.value()["handed"], shown.value()["reach"]) == (1024, 128)
    assert shown.root.get_by_text("1,024 (4 × 16 × 16)").is_visible()
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert (shown.value()["handed"], shown.value()["reach"]) == (432, 48)
    assert shown.root.get_by_role("group", name="Scales").get_by_role("radio", name="3").is_checked()


def test_pixels_outside_the_canvas_are_not_read(mount, figure):
    shown = mount(figure)  # 48 pixels wide around row 36, column 18: rows 12 to 59, columns -6 to 41
    read = shown.root.get_by_text("Pixels read:").locator("..").locator(".number")
    assert read.inner_text() == "2,016"
    for _ in range(3):
        pad(shown).press("Shift+ArrowRight")
    assert read.inner_text() == "2,304"


def test_another_canvas_can_be_searched_blindfold(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("checkbox", name="Hide the canvas").press("Space")
    shown.root.get_by_role("button", name="Another canvas").press("Enter")
    assert (shown.value()["hidden"], shown.value()["which"]) == (True, 1)
    assert shown.value()["seen"] == pytest.approx(sharp(shown_image(figure, 1), (0.2, -0.4)), abs=1e-2)
    column = "pad => new Set(pad.getContext('2d').getImageData(pad.width - 9, 9, 1, pad.height - 18).data).size"
    assert pad(shown).evaluate(column) <= 4  # one colour: no ink shines through
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert (shown.value()["hidden"], shown.value()["which"]) == (False, 0)


def test_one_can_draw_and_look_at_it_by_keys(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="Blank sheet").press("Enter")
    assert (shown.value()["ink"], shown.value()["tool"]) == (0, "paint")
    for key in ["Space", *["Shift+ArrowDown"] * 3, "Space", "ArrowLeft"]:
        pad(shown).press(key)
    drawn = shown.value()["ink"]
    assert drawn > 20
    shown.root.get_by_role("radio", name="erase").press("Space")
    for key in ["Space", "Shift+ArrowUp", "Space"]:
        pad(shown).press(key)
    assert shown.value()["ink"] < drawn
    shown.root.get_by_role("radio", name="look there").press("Space")
    for _ in range(3):
        pad(shown).press("Shift+ArrowRight")
    assert shown.value()["seen"] > 5


def test_a_finger_draws_on_a_phone(mount, figure):
    shown = mount(figure, width=360, has_touch=True)
    shown.root.get_by_role("button", name="Blank sheet").tap()
    pad(shown).scroll_into_view_if_needed()
    points = [dict(zip("xy", at(shown, row, 30), strict=True)) for row in (10, 25, 40)]
    finger = shown.page.context.new_cdp_session(shown.page)
    moves = [("touchStart", points[:1]), ("touchMove", points[1:2]), ("touchMove", points[2:]), ("touchEnd", [])]
    for kind, where in moves:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})
    assert shown.value()["ink"] > 40
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"canvases": torch.zeros(13, 60, 60)}, "canvases: got"),
        ({"canvases": torch.zeros(2, 60, 50)}, "canvases: got"),
        ({"canvases": torch.zeros(2, 120, 120)}, "canvases: got"),
        ({"location": (0.0, 1.5)}, "location: got"),
        ({"size": 10}, "size: got 10"),
        ({"scales": 5}, "scales: got 5"),
        ({"scales": 0}, "scales: got 0"),
    ],
)
def test_what_it_cannot_show_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        Glimpse(**({"canvases": torch.zeros(2, 60, 60)} | wrong))


def calls():
    return {
        Glimpse: {"canvases": torch.ones(2, 60, 60), "location": (0.1, 0.2), "size": 8, "scales": 2},
    }
