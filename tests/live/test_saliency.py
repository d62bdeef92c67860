"""The nets in the page are those in torch, and so is the way back; things move by mouse, finger and keys."""

import pytest
import torch
import torch.nn.functional as F

from attend.live.saliency import Saliency
from attend.recipes.saliency import held_out
from attend.recipes.saliency_figure import SHOWN, tensors, trained
from attend.soft.saliency import gradient_map, share_inside
from attend.tasks import crowd
from attend.tasks.clutter import small
from attend.tasks.digits import digits

PIECES = [(0, 2, 2), (1, 4, 27), (2, 28, 6), (3, 27, 24)]


@pytest.fixture(scope="module")
def nets():
    return {name: trained(name) for name in SHOWN}


@pytest.fixture
def figure(nets):
    labels = digits("test").labels
    first = [int((labels == label).nonzero()[0]) for label in range(10)]
    clutter = crowd.cuttings("test", 4, torch.Generator().manual_seed(3))
    return Saliency(small("test")[first], clutter, tensors(**nets), digit=4, pieces=PIECES, mark=3, full=2.0)


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


def features(seen, name, images):
    """The last maps of a net with the weights as the browser has them."""
    x = images[:, None]
    for n in range(1, 5):
        x = F.conv2d(x, seen[f"{name}_conv{n}_weight"], seen[f"{name}_conv{n}_bias"], padding=1).relu()
        x = F.max_pool2d(x, 2) if n < 3 else x
    return x


def close(values, wanted):
    wanted = wanted.detach()
    return values == pytest.approx(wanted.flatten().tolist(), abs=2e-4 * max(1.0, float(wanted.abs().max())))


def test_logits_maps_and_weights_are_those_of_torch(compute, figure):
    forward, seen = compute(figure), figure.seen()
    noise = torch.rand(1, 36, 36, generator=torch.Generator().manual_seed(0))
    for image in torch.cat([held_out(2).images, canvas(figure)[None], noise]):
        asked = {"image": image.flatten().tolist()}
        for name in ("average", "marked"):
            head = seen[f"{name}_head_weight"], seen[f"{name}_head_bias"]
            pixels = image[None].clone().requires_grad_()
            maps = features(seen, name, pixels)
            logits = F.linear(maps.mean((2, 3)), *head)
            best = int(logits.argmax())
            (slopes,) = torch.autograd.grad(logits[0, best], pixels, retain_graph=True)
            (faded,) = torch.autograd.grad(logits.softmax(1)[0, best], pixels)
            votes = torch.einsum("c,crs->rs", head[0][best], maps[0]).relu() / 81
            found = {kind: forward({**asked, "net": name, "map": kind}) for kind in ("gradient", "probability", "cam")}
            assert close(found["gradient"]["logits"], logits)
            assert close(found["gradient"]["map"], slopes)
            assert close(found["probability"]["map"], faded)
            assert close(found["cam"]["map"], votes)
        maps = features(seen, "attention", image[None])
        weights = torch.einsum("c,bcrs->brs", seen["attention_query"], maps).flatten(1).softmax(1)
        assert close(found["cam"]["weights"], weights)
        pooled = (weights[:, None] * maps.flatten(2)).sum(2)
        assert close(
            found["cam"]["attention"], F.linear(pooled, seen["attention_head_weight"], seen["attention_head_bias"])
        )


def test_it_begins_with_what_the_caption_says(mount, figure, nets):
    shown, image = mount(figure), canvas(figure)[None]
    box, value = crowd.boxes(torch.tensor([[11, 11]])), shown.value()
    logits = nets["average"](image)
    assert value["average"]["named"] == logits.argmax()
    share = share_inside(gradient_map(nets["average"], image, logits.argmax(dim=1)), box)
    assert value["average"]["inside"] == pytest.approx(share.item(), abs=5e-2)  # of weights in eight bits
    assert value["attention"]["named"] == nets["attention"](image).argmax()
    assert value["ink"] == pytest.approx(image.sum().item(), abs=1e-2)


def pad(shown):
    return shown.root.get_by_role("slider", name="The canvas")


def test_keys_move_the_digit_and_take_up_a_piece(mount, figure):
    shown = mount(figure)
    for key, corner in [("ArrowRight", (11, 12)), ("Shift+ArrowRight", (11, 16)), ("ArrowUp", (10, 16))]:
        pad(shown).press(key)
        assert shown.value()["things"][0] == [4, *corner]
    for _ in range(6):
        pad(shown).press("Shift+ArrowLeft")
    assert shown.value()["things"][0] == [4, 10, 0]
    pad(shown).press("Space")
    pad(shown).press("ArrowDown")
    assert shown.value()["chosen"] == 1
    assert shown.value()["things"][1] == [0, 3, 2]


def test_the_mouse_drags_what_lies_under_it(mount, figure):
    shown = mount(figure)
    box, mouse = pad(shown).bounding_box(), shown.page.mouse
    each = box["width"] / 36
    for begin, end in (((18, 18), (20, 25)), ((5, 5), (9, 4)), ((1.5, 20), (9, 9))):
        mouse.move(box["x"] + begin[1] * each, box["y"] + begin[0] * each)
        mouse.down()
        mouse.move(box["x"] + end[1] * each, box["y"] + end[0] * each, steps=6)
        mouse.up()
    assert shown.value()["things"][:2] == [[4, 13, 18], [0, 6, 1]]


def test_other_nets_and_maps_can_be_chosen(mount, figure):
    shown = mount(figure)
    large = shown.value()["largest"]
    shown.root.get_by_role("radio", name="of the probability").press("Space")
    assert shown.value()["map"] == "probability"
    assert shown.value()["largest"] < large
    shown.root.get_by_role("radio", name="Grad-CAM").press("Space")
    shown.root.get_by_role("radio", name="with marked 7s").press("Space")
    assert shown.value()["net"] == "marked"
    shown.root.get_by_role("button", name="Digit 1 of 10").press("Enter")
    assert shown.value()["things"][0][0] == 0


def test_one_can_paint_and_erase_by_keys(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="No digit").press("Enter")
    assert shown.value()["average"]["inside"] is None
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


def good_weights():
    layers = [
        f"{layer}_{part}" for layer in ("conv1", "conv2", "conv3", "conv4", "head") for part in ("weight", "bias")
    ]
    names = [f"{net}_{layer}" for net in SHOWN for layer in layers]
    return dict.fromkeys([*names, "attention_query"], torch.ones(2))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"digits": torch.zeros(13, 14, 14)}, "digits: got"),
        ({"digits": torch.zeros(2, 28, 28)}, "digits: got"),
        ({"digit": 10}, "digit: got 10"),
        ({"corner": (0, 23)}, "corner: got"),
        ({"pieces": [(4, 0, 0)]}, "pieces: got"),
        ({"pieces": [(0, 31, 0)]}, "pieces: got"),
        ({"mark": 4}, "mark: got 4"),
        ({"full": 0.0}, "full: got 0.0"),
        ({"weights": {"average_conv1_bias": torch.zeros(1)}}, "weights: got"),
    ],
)
def test_what_it_cannot_show_is_refused(wrong, says):
    good = {"digits": torch.zeros(10, 14, 14), "clutter": torch.zeros(4, 6, 6), "weights": good_weights()}
    with pytest.raises(ValueError, match=says):
        Saliency(**(good | wrong))


def calls():
    return {
        Saliency: {
            "digits": torch.ones(2, 14, 14),
            "clutter": torch.ones(2, 6, 6),
            "weights": good_weights(),
            "digit": 1,
            "corner": (11, 11),
            "pieces": [(1, 0, 0)],
            "mark": 1,
            "full": 1.0,
        },
    }


def good():
    return {
        Saliency: {"digit": {"zero"}, "pieces": {"empty"}, "mark": {"zero"}},
    }
