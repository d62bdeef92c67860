"""Two readers in a real browser: the same pieces and weights as torch; by typing, keyboard, mouse and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.read import ContentOrLocation
from attend.recipes.looking import LIGHT, light, load_light
from attend.soft.decode import greedy
from attend.soft.read import AttentionSeq2Seq
from attend.tasks import numbers, translation
from attend.tasks.translation import END, ENGLISH, GERMAN


def figure(number=342):
    return ContentOrLocation(
        load_light("content").state_dict(), load_light("location").state_dict(), ENGLISH, GERMAN, number
    )


def as_the_browser_sees(made, by):
    """The reader with the weights of the figure, after their rounding to int8."""
    model = light(by).build()
    own = {name.removeprefix(f"{by}/"): value for name, value in made.seen().items() if name.startswith(f"{by}/")}
    model.load_state_dict(own)
    return model.requires_grad_(False)


@pytest.mark.parametrize("by", LIGHT)
@pytest.mark.parametrize("n", [0, 7, 342, 100_001, 777_777])
def test_same_as_torch(compute, by, n):
    made = figure()
    got = compute(made)({"number": n, "by": by})
    pairs = translation.encode((n,))
    written = greedy(as_the_browser_sees(made, by), pairs.source, pairs.mask, 24)
    tokens = written.tokens[0].tolist()
    T = tokens.index(END) + 1
    assert tuple(got["english"]) == numbers.english(n)
    assert got["german"] == [GERMAN[token] for token in tokens[:T]]
    weights = written.weights[0, :T].flatten().tolist()
    assert torch.tensor(got["weights"]).flatten().tolist() == pytest.approx(weights, abs=2e-4)


def test_it_knows_how_every_number_should_be_written(compute):
    forward = compute(figure())
    drawn = torch.randint(1_000_000, (60,), generator=torch.Generator().manual_seed(0)).tolist()
    for n in (*range(0, 122, 3), 200, 201, 216, 270, 1_000, 1_001, 21_000, 100_000, 101_101, 999_999, *drawn):
        got = forward({"number": n, "by": "content"})
        assert got["truth"] == [*numbers.german(n), GERMAN[END]]
        assert tuple(got["english"]) == numbers.english(n)


def test_the_weights_are_light():
    assert len(figure().buffer) < 70_000


def test_the_keyboard_moves_along_the_pieces(mount):
    shown = mount(figure())
    piece = shown.root.get_by_role("slider", name="German piece")
    assert shown.value()["at"] == 2
    piece.press("ArrowDown")
    piece.press("ArrowRight")
    value = shown.value()
    assert value["at"] == 4
    assert sum(value["weights"]) == pytest.approx(1, abs=1e-6)
    expect(piece).to_have_attribute("aria-valuenow", "5")
    piece.press("End")
    piece.press("ArrowDown")
    assert shown.value()["at"] == len(value["german"]) - 1
    expect(shown.root.locator(".says")).to_contain_text("(end)")
    piece.press("Home")
    piece.press("ArrowUp")
    assert shown.value()["at"] == 0


def test_a_switch_changes_who_looks(mount):
    shown = mount(figure())
    before = shown.value()
    shown.root.get_by_role("radio", name="location").check(force=True)
    after = shown.value()
    assert after["by"] == "location"
    assert after["weights"] != before["weights"]
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == before


def test_typing_a_number_translates_it(mount):
    shown = mount(figure())
    box = shown.root.get_by_role("textbox", name="A number of up to six digits")
    box.fill("1,042")
    assert shown.value()["english"] == ["one", "thousand", "and", "forty", "two"]
    box.press("ArrowUp")
    assert shown.value()["number"] == 1_043
    expect(box).to_have_value("1043")
    for wrong in ("", "forty", "1000000"):
        box.fill(wrong)
        expect(shown.root.locator(".says")).to_have_text("A whole number from 0 to 999,999, please.")
    assert shown.value()["number"] == 1_043


def test_dragging_moves_along_the_pieces(mount):
    shown = mount(figure())
    box = shown.root.get_by_role("slider", name="German piece").bounding_box()
    x, rows = box["x"] + box["width"] / 2, len(shown.value()["german"])
    shown.page.mouse.move(x, box["y"] + 12)
    shown.page.mouse.down()
    shown.page.mouse.move(x, box["y"] + box["height"] - 8, steps=4)
    shown.page.mouse.up()
    assert shown.value()["at"] == rows - 1
    shown.page.mouse.move(x, box["y"] + 12)
    assert shown.value()["at"] == rows - 1


def test_a_finger_on_a_phone(mount):
    shown = mount(figure(777_777), width=340, theme="dark", has_touch=True)
    box = shown.root.get_by_role("slider", name="German piece").bounding_box()
    shown.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert 2 < shown.value()["at"] < len(shown.value()["german"]) - 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 340


def test_bad_input_is_refused_by_name():
    content, location = (load_light(by).state_dict() for by in ("content", "location"))
    with pytest.raises(ValueError, match=r"content: got .* expected tensors with score.weights.M"):
        ContentOrLocation(location, location, ENGLISH, GERMAN)
    with pytest.raises(ValueError, match=r"content: got '34 source rows' .*, expected a row for each of 1 words"):
        ContentOrLocation(content, location, ENGLISH[:1], GERMAN)
    with pytest.raises(ValueError, match="number: got 1000000"):
        ContentOrLocation(content, location, ENGLISH, GERMAN, 1_000_000)


def calls():
    return {
        ContentOrLocation: {
            "content": AttentionSeq2Seq(3, 4, 2, 4).state_dict(),
            "location": AttentionSeq2Seq(3, 4, 2, 4, "location", max_length=5).state_dict(),
            "english": ["and", "one", "two"],
            "german": ["end", "eins", "zwei", "drei"],
            "number": 12,
            "end": 1,
        },
    }


def good():
    return {
        ContentOrLocation: {"number": {"zero"}, "end": {"zero"}},
    }
