"""Both nets in the page are those in torch, and so is the way back; things move by mouse, finger and keys."""

import pytest
import torch

from attend.live.saliency import Saliency
from attend.recipes.saliency import CrowdRecipe, held_out, tensors
from attend.soft.saliency import jacobian, saliency_map, share_inside, to_pixels
from attend.tasks import crowd
from attend.tasks.clutter import small
from attend.tasks.digits import digits

PIECES = [(0, 2, 2), (1, 4, 27), (2, 28, 6), (3, 27, 24)]


@pytest.fixture(scope="module")
def nets():
    return tuple(CrowdRecipe(kind).load() for kind in ("plain", "reading"))


@pytest.fixture
def figure(nets):
    labels = digits("test").labels
    first = [int((labels == label).nonzero()[0]) for label in range(10)]
    clutter = crowd.cuttings("test", 4, torch.Generator().manual_seed(3))
    return Saliency(small("test")[first], clutter, tensors(*nets), digit=4, pieces=PIECES, full=2.0)


def in_torch(figure):
    """Both nets with the weights as the browser has them."""
    seen = figure.seen()
    plain, reading = CrowdRecipe().build(), CrowdRecipe("reading").build()
    for kind, net in (("plain", plain), ("reading", reading)):
        net.load_state_dict({name: seen[f"{kind}_{name.replace('.', '_')}"] for name in net.state_dict()})
        net.requires_grad_(False)
    return plain, reading


def canvas(figure, corner=(11, 11), pieces=PIECES, digit=4):
    """The canvas that the figure shows, made again."""
    seen = {name: figure.seen()[name].float() / 255 for name in ("digits", "pieces")}
    image, others = torch.zeros(36, 36), torch.zeros(36, 36)
    row, column = corner
    if digit is not None:
        image[row : row + 14, column : column + 14] = seen["digits"][digit]
    for number, row, column in pieces:
        spot = others[row : row + 6, column : column + 6]
        spot.copy_(torch.maximum(spot, seen["pieces"][number]))
    return torch.maximum(image, others * (image < 0.25))


def close(values, wanted):
    return values == pytest.approx(wanted.flatten().tolist(), abs=2e-4 * max(1.0, float(wanted.abs().max())))


def test_scores_slopes_and_weights_are_those_of_torch(compute, figure):
    forward, (plain, reading) = compute(figure), in_torch(figure)
    noise = torch.rand(2, 36, 36, generator=torch.Generator().manual_seed(0))
    images = torch.cat([held_out(4).images, canvas(figure)[None], noise, torch.zeros(1, 36, 36)])
    rows = jacobian(plain, images)
    chances = jacobian(lambda x: plain(x).softmax(dim=1), images)
    for i, image in enumerate(images):
        ink = {"image": image.flatten().tolist()}
        result = forward({**ink, "of": "score"})
        scores, (answer, weights) = plain(image[None]), reading(image[None])
        best = int(scores.argmax())
        assert close(result["plain"], scores)
        assert close(result["reading"], answer)
        assert close(result["weights"], weights)
        assert close(result["slopes"], rows[i, best])
        assert close(forward({**ink, "of": "chance"})["slopes"], chances[i, best])


def test_it_begins_with_what_the_caption_says(mount, figure):
    shown, (plain, reading) = mount(figure), in_torch(figure)
    image = canvas(figure)[None]
    box = crowd.boxes(torch.tensor([[11, 11]]))
    value = shown.value()
    scores, (answer, weights) = plain(image), reading(image)
    assert value["plain"]["named"] == scores.argmax()
    assert value["reading"]["named"] == answer.argmax()
    assert value["reading"]["chance"] == pytest.approx(answer.softmax(1).max().item(), abs=1e-3)
    share = share_inside(saliency_map(plain, image), box)
    assert value["plain"]["inside"] == pytest.approx(share.item(), abs=1e-3)
    held = share_inside(to_pixels(weights, reading.field, 36), box)
    assert value["reading"]["inside"] == pytest.approx(held.item(), abs=1e-3)
    assert value["ink"] == pytest.approx(image.sum().item(), abs=1e-2)


def pad(shown):
    return shown.root.get_by_role("slider", name="The canvas")


def test_keys_move_the_digit_and_the_nets_see_it_move(mount, figure):
    shown, (plain, _) = mount(figure), in_torch(figure)
    for key, corner in [("ArrowRight", (11, 12)), ("Shift+ArrowRight", (11, 16)), ("ArrowUp", (10, 16))]:
        pad(shown).press(key)
        assert shown.value()["things"][0] == [4, *corner]
        chances = plain(canvas(figure, corner)[None]).softmax(1)
        assert shown.value()["plain"]["chance"] == pytest.approx(chances.max().item(), abs=2e-3)
    for _ in range(6):
        pad(shown).press("Shift+ArrowLeft")
    assert shown.value()["things"][0] == [4, 10, 0]


def test_keys_take_up_a_piece(mount, figure):
    shown = mount(figure)
    pad(shown).press("Space")
    pad(shown).press("ArrowDown")
    assert shown.value()["chosen"] == 1
    assert shown.value()["things"][1] == [0, 3, 2]
    assert shown.value()["things"][0] == [4, 11, 11]


def drag(shown, begin, end):
    box = pad(shown).bounding_box()
    each = box["width"] / 36
    mouse = shown.page.mouse
    mouse.move(box["x"] + begin[1] * each, box["y"] + begin[0] * each)
    mouse.down()
    mouse.move(box["x"] + end[1] * each, box["y"] + end[0] * each, steps=6)
    mouse.up()


def test_the_mouse_drags_what_lies_under_it(mount, figure):
    shown = mount(figure)
    drag(shown, (18, 18), (20, 25))
    assert shown.value()["things"][0] == [4, 13, 18]
    drag(shown, (5, 5), (9, 4))
    assert shown.value()["things"][1] == [0, 6, 1]
    drag(shown, (1.5, 20), (9, 9))
    assert shown.value()["things"][:2] == [[4, 13, 18], [0, 6, 1]]


def test_the_probability_of_a_sure_net_is_flatter_than_its_score(mount, figure):
    shown = mount(figure)
    steep = shown.value()["steepest"]
    shown.root.get_by_role("radio", name="its probability").press("Space")
    assert shown.value()["of"] == "chance"
    assert shown.value()["steepest"] < steep / 4


def test_one_can_paint_and_erase_by_keys(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="No digit").press("Enter")
    assert shown.value()["plain"]["inside"] is None
    ink = shown.value()["ink"]
    assert ink == pytest.approx(canvas(figure, digit=None).sum().item(), abs=1e-2)
    shown.root.get_by_role("radio", name="paint").press("Space")
    for key in ["Space", "Shift+ArrowDown", "Shift+ArrowDown", "Space"]:
        pad(shown).press(key)
    painted = shown.value()["ink"]
    assert painted > ink + 8
    shown.root.get_by_role("radio", name="erase").press("Space")
    for key in ["Space", "Shift+ArrowUp", "Space"]:
        pad(shown).press(key)
    assert shown.value()["ink"] < painted - 3
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value()["things"][0] == [4, 11, 11]
    assert shown.value()["ink"] == pytest.approx(canvas(figure).sum().item(), abs=1e-2)


def test_a_finger_drags_the_digit_on_a_phone(mount, figure):
    shown = mount(figure, width=360, has_touch=True)
    box = pad(shown).bounding_box()
    each = box["width"] / 36
    at = [{"x": box["x"] + (18 + step) * each, "y": box["y"] + 18 * each} for step in (0, 3, 6)]
    finger = shown.page.context.new_cdp_session(shown.page)
    for kind, points in [("touchStart", at[:1]), ("touchMove", at[1:2]), ("touchMove", at[2:]), ("touchEnd", [])]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert shown.value()["things"][0] == [4, 11, 17]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_another_digit_can_be_put_there(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="Digit 1 of 10").press("Enter")
    assert shown.value()["things"][0][0] == 0


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"digits": torch.zeros(13, 14, 14)}, "digits: got"),
        ({"digits": torch.zeros(2, 28, 28)}, "digits: got"),
        ({"digit": 10}, "digit: got 10"),
        ({"corner": (0, 23)}, "corner: got"),
        ({"pieces": [(4, 0, 0)]}, "pieces: got"),
        ({"pieces": [(0, 31, 0)]}, "pieces: got"),
        ({"full": 0.0}, "full: got 0.0"),
        ({"weights": {"plain_conv1_bias": torch.zeros(1)}}, "weights: got"),
    ],
)
def test_what_it_cannot_show_is_refused(nets, wrong, says):
    good = {"digits": torch.zeros(10, 14, 14), "clutter": torch.zeros(4, 6, 6), "weights": tensors(*nets)}
    with pytest.raises(ValueError, match=says):
        Saliency(**(good | wrong))


def calls():
    names = [f"{kind}_conv{n}_{part}" for kind in ("plain", "reading") for n in (1, 2) for part in ("weight", "bias")]
    names += [
        "plain_conv3_weight",
        "plain_conv3_bias",
        "reading_query",
        "reading_readout_weight",
        "reading_readout_bias",
    ]
    return {
        Saliency: {
            "digits": torch.ones(2, 14, 14),
            "clutter": torch.ones(2, 6, 6),
            "weights": dict.fromkeys(names, torch.ones(2)),
            "digit": 1,
            "corner": (11, 11),
            "pieces": [(1, 0, 0)],
            "full": 1.0,
        },
    }


def good():
    return {
        Saliency: {"digit": {"zero"}, "pieces": {"empty"}},
    }
