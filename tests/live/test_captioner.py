"""Both writers in the page are those in torch; things are put, moved and looked at by mouse, finger and keys."""

import pytest
import torch

from attend.hard.captioner import Captioner
from attend.hard.nwgm import attend_to_each
from attend.live.captioner import ENCODER, LEVELS, Caption
from attend.recipes.captioner import CaptionerRecipe, held_out, judge
from attend.tasks import scenes
from attend.tasks.canvas import cut
from attend.tasks.clothes import clothes
from attend.tasks.clutter import INK, small
from attend.tasks.digits import digits

INKED = "made => made.toDataURL()"
NAMES = [scenes.WORDS.index(name) for name in ("seven", "eight", "coat", "coat")]
SCENE = [None, ("things", 0, 1, 2), None, None, ("scraps", 1, 4, 9), None, None, ("things", 2, 0, 0), None]


def writer(look, seed):
    """A writer that has learned nothing, with weights so large that its looks and words differ."""
    torch.manual_seed(seed)
    model = Captioner(len(scenes.WORDS), attention=look, generator=torch.Generator().manual_seed(seed))
    for name, value in model.named_parameters():
        value.data.add_(0.3 * torch.randn_like(value) * (name.startswith(("score", "readout", "from_", "embed"))))
    return model.requires_grad_(False)


@pytest.fixture(scope="module")
def writers():
    soft, hard = writer("soft", 1), writer("hard", 2)
    encoder = {part: soft.state_dict()[part] for part in ENCODER}
    hard.load_state_dict(hard.state_dict() | encoder)
    return soft, hard


@pytest.fixture(scope="module")
def pictures():
    coats = clothes("test").images[clothes("test").labels == 0][:2]
    shown = [small("test")[digits("test").labels == number][0] for number in (7, 8)]
    scraps = cut(small("test"), 3, scenes.PIECE, INK, scenes.LEAST, torch.Generator().manual_seed(1))
    return torch.cat([torch.stack(shown), coats]), scraps


@pytest.fixture
def figure(writers, pictures):
    things, scraps = pictures
    soft, hard = (model.state_dict() for model in writers)
    return Caption(things, NAMES, scraps, scenes.WORDS, soft, hard, SCENE)


def in_torch(figure):
    """Both writers with the weights as the browser has them."""
    seen = figure.seen()
    sizes = {"feature_size": seen["encoder.conv3.bias"].numel()}
    sizes["hidden_size"] = seen["soft.decoder.from_hidden.weight"].shape[1]
    features = seen["encoder.conv1.bias"].numel(), seen["encoder.conv2.bias"].numel()
    models = {}
    for kind in ("soft", "hard"):
        models[kind] = Captioner(len(scenes.WORDS), attention=kind, features=features, **sizes).requires_grad_(False)
        names = models[kind].state_dict()
        models[kind].load_state_dict({n: seen[f"encoder.{n}" if n in ENCODER else f"{kind}.{n}"] for n in names})
    return models


def canvas(figure, scene=SCENE):
    """The image that the figure shows, made again."""
    image = torch.zeros(48, 48)
    for cell, held in enumerate(scene):
        if held:
            kind, which, down, across = held
            picture = figure.seen()[kind][which].float() / 255
            top, left = 16 * (cell // 3) + down, 16 * (cell % 3) + across
            image[top : top + len(picture), left : left + len(picture)] = picture
    return image


def by_hand(model, image, placed):
    """Words, weights and looks, with the look of some steps moved to a region of our choice."""
    regions = model.encode(image[None])
    token, state, steps = torch.tensor([model.end]), model.start(1), []
    for cell in placed:
        alone = attend_to_each(model, token, state, regions)
        forced = regions if cell is None else regions[:, cell : cell + 1]
        word = model.step(token, state, forced)
        token, state = word.logits.argmax(dim=1), word.state
        steps.append((int(token), alone.weights[0], alone.logits[0].argmax(dim=1).tolist(), word.logits[0]))
        if token == model.end:
            break
    return steps


@pytest.mark.parametrize("placed", [[None] * 6, [None, 4, None, 0, 8, None]])
def test_words_weights_and_looks_are_those_of_torch(compute, figure, placed):
    forward, models = compute(figure), in_torch(figure)
    drawn = scenes.scenes("test", 3, torch.Generator().manual_seed(0)).images
    for image in torch.cat([canvas(figure)[None], drawn, torch.zeros(1, 48, 48)]):
        result = forward({"image": image.flatten().tolist(), "placed": placed})
        for kind, model in models.items():
            steps = by_hand(model, image, placed if kind == "hard" else [None] * 6)
            words, weights, alone, logits = zip(*steps, strict=True)
            assert result[kind]["words"] == list(words)
            assert result[kind]["alone"] == list(alone)
            chances = [row.softmax(0).max().item() for row in logits]
            assert result[kind]["chances"] == pytest.approx(chances, abs=1e-4)
            for row, wanted in zip(result[kind]["weights"], weights, strict=True):
                assert row == pytest.approx(wanted.tolist(), abs=1e-4)


def test_the_writers_of_torch_write_the_same(compute, figure):
    images = scenes.scenes("test", 4, torch.Generator().manual_seed(3)).images
    forward = compute(figure)
    for kind, model in in_torch(figure).items():
        written = model.generate(model.encode(images), steps=6)
        for image, tokens, used in zip(images, written.tokens.tolist(), written.used, strict=True):
            result = forward({"image": image.flatten().tolist(), "placed": []})[kind]
            length = len(result["words"])
            assert result["words"] == tokens[:length]
            assert not any(tokens[length:])
            for row, wanted in zip(result["used"], used, strict=False):
                assert row == pytest.approx(wanted.tolist(), abs=1e-4)


def pad(shown):
    return shown.root.get_by_role("slider", name="The scene, nine cells")


def hard_map(shown):
    return shown.root.get_by_role("slider", name="Where the hard writer looks")


def middle(locator, cell):
    box = locator.bounding_box()
    return box["x"] + (cell % 3 + 0.5) * box["width"] / 3, box["y"] + (cell // 3 + 0.5) * box["height"] / 3


def test_it_begins_with_the_scene_and_its_caption(mount, figure):
    value = mount(figure).value()
    assert value["right"] == "a seven above a coat ."
    assert [cell and cell["kind"] for cell in value["cells"]] == [held and held[0] for held in SCENE]
    for kind, model in in_torch(figure).items():
        written = model.generate(model.encode(canvas(figure)[None]), steps=6)
        assert value[kind]["caption"].startswith(scenes.spell(written.tokens[0]))


def test_words_are_stepped_by_keys_and_pointed_at(mount, figure):
    shown = mount(figure)
    words = shown.root.get_by_role("listbox", name="Words of the soft writer")
    assert shown.value()["at"] == 0
    words.press("End")
    assert shown.value()["at"] > 0
    words.press("Home")
    words.press("ArrowRight")
    words.press("ArrowRight")
    assert shown.value()["at"] == 2
    assert words.get_by_role("option", selected=True).inner_text() == scenes.WORDS[shown.value()["soft"]["words"][2]]
    words.get_by_role("option").nth(1).hover()
    assert shown.value()["at"] == 1


def test_a_hard_look_can_be_moved_by_mouse_and_keys(mount, figure):
    shown, model = mount(figure), in_torch(figure)["hard"]
    free = shown.root.get_by_role("button", name="Let the hard writer look by itself")
    assert free.is_disabled()
    shown.root.get_by_role("listbox", name="Words of the hard writer").get_by_role("option").nth(1).hover()
    shown.page.mouse.click(*middle(hard_map(shown), 8))
    assert shown.value()["placed"][1] == 8
    steps = by_hand(model, canvas(figure), [None, 8, None, None, None, None])
    assert shown.value()["hard"]["words"] == [step[0] for step in steps]
    hard_map(shown).press("ArrowUp")
    assert shown.value()["placed"][1] == 5
    hard_map(shown).press("ArrowLeft")
    assert shown.value()["placed"][1] == 4
    hard_map(shown).press("Escape")
    assert shown.value()["placed"] == []
    hard_map(shown).press("ArrowDown")
    free.press("Enter")
    assert shown.value()["placed"] == []
    assert free.is_disabled()
    assert hard_map(shown).evaluate("made => made === document.activeElement")


def test_things_are_put_and_taken_by_keys(mount, figure):
    shown = mount(figure)
    pad(shown).press("ArrowRight")
    assert shown.value()["chosen"] == 2
    shown.root.get_by_role("button", name="Put a coat there").press("Enter")
    assert shown.value()["cells"][2] == {"kind": "things", "which": 2, "down": 1, "across": 1}
    assert shown.value()["right"] is None
    shown.root.get_by_role("button", name="Put a coat there").press("Enter")
    assert shown.value()["cells"][2]["which"] == 3
    shown.root.get_by_role("button", name="Put a scrap there").press("Enter")
    assert shown.value()["cells"][2]["kind"] == "scraps"
    assert shown.value()["right"] == "a seven above a coat ."
    pad(shown).press("Delete")
    assert shown.value()["cells"][2] is None
    pad(shown).press("ArrowLeft")
    shown.root.get_by_role("button", name="Put an eight there").press("Enter")
    assert shown.value()["right"] == "an eight above a coat ."
    pad(shown).press("Shift+ArrowDown")
    assert shown.value()["cells"][1] == {"kind": "scraps", "which": 1, "down": 4, "across": 9}
    assert shown.value()["cells"][4]["which"] == 1


def test_the_mouse_carries_a_thing_to_another_cell(mount, figure):
    shown = mount(figure)
    shown.page.mouse.move(*middle(pad(shown), 1))
    shown.page.mouse.down()
    shown.page.mouse.move(*middle(pad(shown), 6), steps=5)
    shown.page.mouse.up()
    assert shown.value()["cells"][1] is None
    assert shown.value()["cells"][6]["which"] == 0
    assert shown.value()["right"] == "a seven beside a coat ."


def test_a_finger_carries_a_thing_on_a_phone(mount, figure):
    shown = mount(figure, width=360, has_touch=True)
    at = [dict(zip("xy", middle(pad(shown), cell), strict=True)) for cell in (7, 8)]
    finger = shown.page.context.new_cdp_session(shown.page)
    for kind, points in [("touchStart", at[:1]), ("touchMove", at[1:]), ("touchEnd", [])]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert shown.value()["cells"][8]["which"] == 2
    assert shown.value()["right"] is None
    shown.root.get_by_role("listbox", name="Words of the hard writer").get_by_role("option").first.tap()
    assert shown.value()["at"] == 0
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_another_scene_is_one_that_the_writers_were_taught(mount, figure):
    shown, seen = mount(figure), set()
    for _ in range(12):
        shown.root.get_by_role("button", name="Another scene").press("Enter")
        cells = [cell and cell["kind"] for cell in shown.value()["cells"]]
        assert (cells.count("things"), cells.count("scraps"), cells.count(None)) == (2, 3, 4)
        seen.add(shown.value()["right"].split()[2])
        assert canvas(figure, [cell and tuple(cell.values()) for cell in shown.value()["cells"]]).max() > 0.3
    assert seen == {"above", "beside"}


def test_what_lies_in_a_cell_is_drawn(mount, figure):
    shown = mount(figure)
    drawn = [part.evaluate(INKED) for part in (pad(shown), hard_map(shown))]
    pad(shown).press("Delete")
    emptied = [part.evaluate(INKED) for part in (pad(shown), hard_map(shown))]
    assert shown.value()["cells"][1] is None
    assert all(before != after for before, after in zip(drawn, emptied, strict=True))


def test_what_a_look_at_each_cell_would_say_can_be_written_there(mount, figure):
    shown = mount(figure)
    before = hard_map(shown).evaluate(INKED)
    shown.root.get_by_role("checkbox").press("Space")
    assert hard_map(shown).evaluate(INKED) != before


def test_large_weights_travel_in_few_levels(figure, writers):
    seen = figure.seen()
    for kind, model in zip(("soft", "hard"), writers, strict=True):
        rows, whole = seen[f"{kind}.decoder.from_input.weight"], model.decoder.from_input.weight
        assert max(len(row.unique()) for row in rows) <= 2 * LEVELS + 1
        assert ((rows - whole).abs() <= 0.55 * whole.abs().amax(dim=1, keepdim=True) / LEVELS).all()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"names": [7]}, "names: got 1"),
        ({"names": [7, 8, 9, 19]}, "names: got"),
        ({"things": torch.zeros(4, 28, 28)}, "things: got"),
        ({"scene": [None] * 8}, "scene: got"),
        ({"scene": [("things", 4, 0, 0)] + [None] * 8}, "scene: got"),
        ({"scene": [("things", 0, 3, 0)] + [None] * 8}, "scene: got"),
        ({"scene": [("crumbs", 0, 0, 0)] + [None] * 8}, "scene: got"),
        ({"steps": 0}, "steps: got 0"),
        ({"soft": {"positions": torch.zeros(9, 64)}}, "soft: got"),
    ],
)
def test_what_it_cannot_show_is_refused(writers, pictures, wrong, says):
    soft, hard = (model.state_dict() for model in writers)
    things, scraps = pictures
    good = {"things": things, "names": NAMES, "scraps": scraps, "words": scenes.WORDS, "soft": soft, "hard": hard}
    with pytest.raises(ValueError, match=says):
        Caption(**(good | wrong))


def test_two_conv_nets_are_refused(writers, pictures):
    soft, hard = writers[0].state_dict(), writer("hard", 3).state_dict()
    with pytest.raises(ValueError, match="hard: got"):
        Caption(pictures[0], NAMES, pictures[1], scenes.WORDS, soft, hard)


def test_weights_of_one_byte_write_as_well_as_those_that_were_trained(pictures):
    of = held_out(400)
    trained = {kind: CaptionerRecipe(kind).load() for kind in ("soft", "hard")}
    soft, hard = (model.state_dict() for model in trained.values())
    rounded = in_torch(Caption(pictures[0], NAMES, pictures[1], scenes.WORDS, soft, hard))
    for kind, model in trained.items():
        right = judge(model, of)["exact"]
        assert right > 0.85
        assert judge(rounded[kind], of)["exact"] == pytest.approx(right, abs=0.015)


def calls():
    WEIGHTS = Captioner(3, 2, 3, 4, features=(1, 2), generator=torch.Generator().manual_seed(0)).state_dict()
    SCENE = [("things", 0, 1, 2), None, None, None, ("scraps", 0, 3, 4), None, None, None, None]
    return {
        Caption: {
            "things": torch.ones(2, 14, 14),
            "names": [1, 2],
            "scraps": torch.ones(1, 6, 6),
            "words": [".", "coat", "bag"],
            "soft": WEIGHTS,
            "hard": WEIGHTS,
            "scene": SCENE,
            "steps": 4,
        },
    }
