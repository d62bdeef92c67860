"""The net in the page is the net in torch; the digit moves by mouse, finger and keys; a unit shows what it sees."""

import pytest
import torch

from attend.live.convnet import ConvNet as Figure
from attend.memory.convnet import ConvNet, layers_of, measured_field, receptive_field, spans
from attend.recipes.convnet import ConvNetRecipe
from attend.tasks.digits import digits, shift

MAPS = ("conv1", "pool1", "conv2", "pool2")


@pytest.fixture(scope="module")
def net():
    return ConvNetRecipe().load()


@pytest.fixture(scope="module")
def fields(net):
    stacks = {name: list(layers_of(net).values())[: i + 1] for i, name in enumerate(MAPS)}
    return {name: (receptive_field(stack).size, receptive_field(stack).jump) for name, stack in stacks.items()}


@pytest.fixture
def figure(net, fields):
    images, labels = digits("test")
    first = [int((labels == label).nonzero()[0]) for label in range(10)]
    return Figure(images[first], dict(net.named_parameters()), fields, start=3)


def in_torch(figure):
    """The net with the weights as the browser has them."""
    net = ConvNet()
    net.load_state_dict({name: figure.seen()[name] for name in net.state_dict()})
    return net.requires_grad_(False)


def test_every_map_and_logit_is_that_of_torch(compute, figure):
    forward, net = compute(figure), in_torch(figure)
    images = torch.cat([digits("test").images[:4], torch.rand(2, 28, 28), torch.zeros(1, 28, 28)])
    logits, maps = net(images), net.maps(images)
    for i, image in enumerate(images):
        result = forward({"image": image.flatten().tolist()})
        assert result["logits"] == pytest.approx(logits[i].tolist(), abs=2e-4)
        for name in MAPS:
            assert result["maps"][name]["values"] == pytest.approx(maps[name][i].flatten().tolist(), abs=1e-4)


def test_it_begins_with_a_unit_that_listens(mount, figure):
    shown = mount(figure)
    assert shown.value()["read"] == 3
    assert shown.value()["unit"]["value"] > 0
    assert shown.value()["field"]["size"] == 14


def test_arrow_keys_push_the_digit_as_the_task_does(mount, figure):
    shown = mount(figure)
    image = (digits("test").images[(digits("test").labels == 3).nonzero()[0]] * 255).round() / 255
    pad = shown.root.get_by_role("slider", name="The digit")
    for down, right, key in [(0, 1, "ArrowRight"), (0, 5, "Shift+ArrowRight"), (-1, 5, "ArrowUp")]:
        pad.press(key)
        probs = in_torch(figure)(shift(image, down, right)).softmax(dim=1)[0]
        assert shown.value()["offset"] == [right, down]
        assert shown.value()["read"] == probs.argmax()
        assert shown.value()["probability"] == pytest.approx(probs.max().item(), abs=1e-4)
    shown.root.get_by_role("button", name="Centre it").click()
    assert max(map(abs, shown.value()["offset"])) <= 1


def test_dragging_pushes_the_digit(mount, figure):
    shown = mount(figure)
    box = shown.root.get_by_role("slider", name="The digit").bounding_box()
    mouse, x, y = shown.page.mouse, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 4 * box["width"] / 28, y - 2 * box["height"] / 28, steps=5)
    mouse.up()
    assert shown.value()["offset"] == [4, -2]


def test_a_digit_is_drawn_by_keys(mount, figure):
    shown = mount(figure)
    shown.root.get_by_role("button", name="Blank sheet").press("Enter")
    assert shown.value()["ink"] == 0
    pad = shown.root.get_by_role("slider", name="The digit")
    for key in ["Shift+ArrowUp", "Shift+ArrowUp", "Space", *["Shift+ArrowDown"] * 4, "Space"]:
        pad.press(key)
    assert shown.value()["ink"] > 30
    assert shown.value()["read"] == 1
    ink = shown.value()["ink"]
    pad.press("ArrowLeft")
    assert shown.value()["ink"] == ink
    shown.root.get_by_role("radio", name="erase").press("Space")
    pad.press("Space")
    assert shown.value()["ink"] < ink


def test_a_digit_is_drawn_by_a_finger_on_a_phone(mount, figure):
    shown = mount(figure, width=360, has_touch=True)
    shown.root.get_by_role("button", name="Blank sheet").tap()
    box = shown.root.get_by_role("slider", name="The digit").bounding_box()
    at = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + part * box["height"]} for part in (0.2, 0.5, 0.8)]
    finger = shown.page.context.new_cdp_session(shown.page)
    for kind, points in [("touchStart", at[:1]), ("touchMove", at[1:2]), ("touchMove", at[2:]), ("touchEnd", [])]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert shown.value()["ink"] > 20
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("name", MAPS)
def test_the_square_that_a_unit_shows_is_what_it_sees_in_torch(mount, figure, name):
    shown = mount(figure)
    label = {"conv1": "convolution 1", "pool1": "pooling 1", "conv2": "convolution 2", "pool2": "pooling 2"}[name]
    strip = shown.root.get_by_role("slider", name=f"Units of {label}")
    strip.press("ArrowLeft")
    unit, field = shown.value()["unit"], shown.value()["field"]
    assert unit["layer"] == name
    place = (unit["row"], unit["column"])
    strength = measured_field(lambda x: ConvNet().maps(x[:, 0])[name], torch.rand(64, 1, 28, 28), place)
    rows, columns = spans(strength)
    assert (rows, columns) == tuple(range(field[axis], field[axis] + field["size"]) for axis in ("y", "x"))


def test_hovering_marks_the_unit_under_the_pointer(mount, figure):
    shown = mount(figure)
    strip = shown.root.get_by_role("slider", name="Units of pooling 2")
    box = strip.bounding_box()
    strip.hover(position={"x": 6, "y": box["height"] - 4})
    assert {key: shown.value()["unit"][key] for key in ("layer", "map", "row", "column")} == {
        "layer": "pool2", "map": 0, "row": 3, "column": 0
    }  # fmt: skip
    assert shown.value()["field"] == {"x": 0, "y": 12, "size": 16}


def test_real_digits_can_be_chosen(mount, figure):
    shown = mount(figure)
    reads = []
    for label in range(10):
        shown.root.get_by_role("button", name=f"Real digit {label + 1} of 10").press("Enter")
        reads.append(shown.value()["read"])
    assert sum(read == label for label, read in enumerate(reads)) >= 9


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"images": torch.zeros(2, 14, 14)}, "images: got"),
        ({"images": torch.zeros(13, 28, 28)}, "images: got"),
        ({"start": 10}, "start: got 10"),
        ({"weights": {"conv1.weight": torch.zeros(1)}}, "weights: got"),
        ({"fields": {"conv1": (5, 1)}}, "fields: got"),
    ],
)
def test_what_it_cannot_show_is_refused(net, fields, wrong, says):
    good = {"images": torch.zeros(10, 28, 28), "weights": dict(net.named_parameters()), "fields": fields, "start": 0}
    with pytest.raises(ValueError, match=says):
        Figure(**(good | wrong))


def calls():
    from attend.live.convnet import ConvNet

    weights = {f"conv{n}.{part}": torch.ones(2) for n in (1, 2, 3) for part in ("weight", "bias")}
    fields = {"conv1": (5, 1), "pool1": (6, 2), "conv2": (14, 2), "pool2": (16, 4)}
    return {
        ConvNet: {"images": torch.ones(2, 28, 28), "weights": weights, "fields": fields, "start": 1},
    }


def good():
    from attend.live.convnet import ConvNet

    return {
        ConvNet: {"start": {"zero"}},
    }
