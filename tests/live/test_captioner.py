"""Both captioners in the page are those in torch; things are put, moved and looked at by mouse, finger and keys."""

import pytest
import torch

from attend.hard.captioner import Captioner, Encoder, Regions
from attend.hard.nwgm import attend_to_each
from attend.live.captioner import DECODER, ENCODER, LEVELS, Caption
from attend.recipes.captioner import encoder, held_out, trained
from attend.tasks import scenes
from attend.tasks.canvas import cut
from attend.tasks.clothes import clothes
from attend.tasks.clutter import INK, small
from attend.tasks.digits import digits

INKED = "made => made.toDataURL()"
NAMES = [scenes.WORDS.index(name) for name in ("seven", "eight", "coat", "coat")]
SCENE = [None, ("things", 0, 1, 2), None, None, ("scraps", 1, 4, 9), None, None, ("things", 2, 0, 0), None]


def captioner(kind, seed):
    """A captioner at initialisation, with weights so large that its looks and words differ."""
    torch.manual_seed(seed)
    model = Captioner(len(scenes.WORDS), attention=kind)
    for name, value in model.named_parameters():
        large = name.startswith(("score", "query", "key", "readout", "from_", "embed"))
        value.data.add_(0.3 * torch.randn_like(value) * large)
    return model.requires_grad_(False).eval()


@pytest.fixture(scope="module")
def models():
    torch.manual_seed(0)
    return Encoder().requires_grad_(False), captioner("soft", 1), captioner("hard", 2)


@pytest.fixture(scope="module")
def pictures():
    coats = clothes("test").images[clothes("test").labels == 0][:2]
    shown = [small("test")[digits("test").labels == number][0] for number in (7, 8)]
    scraps = cut(small("test"), 3, scenes.PIECE, INK, scenes.LEAST, torch.Generator().manual_seed(1))
    return torch.cat([torch.stack(shown), coats]), scraps


@pytest.fixture
def figure(models, pictures):
    things, scraps = pictures
    return Caption(things, NAMES, scraps, scenes.WORDS, *(model.state_dict() for model in models), SCENE)


def in_torch(figure):
    """The encoder and both captioners with the weights as the browser has them."""
    seen, found = figure.seen(), {"encoder": Encoder().requires_grad_(False)}
    found["encoder"].load_state_dict({name: seen[f"encoder.{name}"] for name in ENCODER})
    for kind in ("soft", "hard"):
        found[kind] = Captioner(len(scenes.WORDS), attention=kind).requires_grad_(False).eval()
        found[kind].load_state_dict({name: seen[f"{kind}.{name}"] for name in DECODER})
    return found


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


def by_hand(model, features, placed):
    """Words, weights and looks, with the look of some steps moved to a region of our choice."""
    regions = model.read(features)
    token, state, steps = torch.tensor([model.end]), model.start(regions), []
    for cell in placed:
        alone = attend_to_each(model, token, state, regions)
        forced = regions if cell is None else Regions(*(part[:, cell : cell + 1] for part in regions))
        logits, state, _ = model.step(token, state, forced)
        token = logits.argmax(dim=1)
        steps.append((int(token), alone.weights[0], alone.logits[0].argmax(dim=1).tolist(), logits[0]))
        if token == model.end:
            break
    return steps


@pytest.mark.parametrize("placed", [[None] * 6, [None, 4, None, 0, 8, None]])
def test_words_weights_and_looks_are_those_of_torch(compute, figure, placed):
    forward, models = compute(figure), in_torch(figure)
    drawn = scenes.scenes("test", 3, torch.Generator().manual_seed(0)).images
    for image in torch.cat([canvas(figure)[None], drawn, torch.zeros(1, 48, 48)]):
        result = forward({"image": image.flatten().tolist(), "placed": placed})
        for kind in ("soft", "hard"):
            features = models["encoder"](image[None])
            steps = by_hand(models[kind], features, placed if kind == "hard" else [None] * 6)
            words, weights, alone, logits = zip(*steps, strict=True)
            assert result[kind]["words"] == list(words)
            assert result[kind]["alone"] == list(alone)
            chances = [row.softmax(0).max().item() for row in logits]
            assert result[kind]["chances"] == pytest.approx(chances, abs=1e-4)
            for row, wanted in zip(result[kind]["weights"], weights, strict=True):
                assert row == pytest.approx(wanted.tolist(), abs=1e-4)


def pad(shown):
    return shown.root.get_by_role("slider", name="The scene, nine cells")


def hard_map(shown):
    return shown.root.get_by_role("slider", name="Where hard attention looks")


def middle(locator, cell):
    box = locator.bounding_box()
    return box["x"] + (cell % 3 + 0.5) * box["width"] / 3, box["y"] + (cell // 3 + 0.5) * box["height"] / 3


def test_it_begins_with_the_scene_and_its_caption(mount, figure):
    value = mount(figure).value()
    assert value["right"] == "a seven above a coat ."
    assert [cell and cell["kind"] for cell in value["cells"]] == [held and held[0] for held in SCENE]
    models = in_torch(figure)
    for kind in ("soft", "hard"):
        written = models[kind].generate(models["encoder"](canvas(figure)[None]), steps=6)
        assert value[kind]["caption"].startswith(scenes.spell(written.tokens[0]))


def test_words_are_stepped_by_keys_and_pointed_at(mount, figure):
    shown = mount(figure)
    words = shown.root.get_by_role("listbox", name="Words of soft attention")
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
    shown, models = mount(figure), in_torch(figure)
    free = shown.root.get_by_role("button", name="Let hard attention look by itself")
    assert free.is_disabled()
    shown.root.get_by_role("listbox", name="Words of hard attention").get_by_role("option").nth(1).hover()
    shown.page.mouse.click(*middle(hard_map(shown), 8))
    assert shown.value()["placed"][1] == 8
    steps = by_hand(models["hard"], models["encoder"](canvas(figure)[None]), [None, 8, None, None, None, None])
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
    shown.root.get_by_role("listbox", name="Words of hard attention").get_by_role("option").first.tap()
    assert shown.value()["at"] == 0
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.nightly
def test_another_scene_is_one_that_the_captioners_were_trained_on(mount, figure):
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


def test_large_weights_travel_in_few_levels(figure, models):
    seen = figure.seen()
    for kind, model in zip(("soft", "hard"), models[1:], strict=True):
        rows, whole = seen[f"{kind}.lstm.weight_ih"], model.lstm.weight_ih
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
def test_what_it_cannot_show_is_refused(models, pictures, wrong, says):
    things, scraps = pictures
    weights = dict(zip(("encoder", "soft", "hard"), (model.state_dict() for model in models), strict=True))
    good = {"things": things, "names": NAMES, "scraps": scraps, "words": scenes.WORDS} | weights
    with pytest.raises(ValueError, match=says):
        Caption(**(good | wrong))


@pytest.mark.nightly
def test_rounded_weights_write_as_well_as_those_that_were_trained(pictures):
    of, shipped = held_out(400), {kind: trained(kind) for kind in ("soft", "hard")}
    whole = (encoder(), *shipped.values())
    rounded = in_torch(Caption(pictures[0], NAMES, pictures[1], scenes.WORDS, *(model.state_dict() for model in whole)))

    def right(eye, model):
        return scenes.exact(model.generate(eye(of.images), scenes.LENGTH).tokens, of.captions).double().mean().item()

    for kind, model in shipped.items():
        assert right(encoder(), model) > 0.85
        assert right(rounded["encoder"], rounded[kind]) == pytest.approx(right(encoder(), model), abs=0.015)


def calls():
    small = Captioner(3, num_regions=2, feature_size=3, embedding_size=2, hidden_size=2).state_dict()
    SCENE = [("things", 0, 1, 2), None, None, None, ("scraps", 0, 3, 4), None, None, None, None]
    return {
        Caption: {
            "things": torch.ones(2, 14, 14),
            "names": [1, 2],
            "scraps": torch.ones(1, 6, 6),
            "words": [".", "coat", "bag"],
            "encoder": Encoder(4, (1, 2)).state_dict(),
            "soft": small,
            "hard": small,
            "scene": SCENE,
            "steps": 4,
        },
    }
