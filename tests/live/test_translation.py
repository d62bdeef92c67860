"""The number to type in a real browser: the same pieces and weights as torch; by typing, keyboard, mouse and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.translation import Alignment
from attend.recipes.translation import TranslationRecipe, encoded
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import numbers, translation
from attend.tasks.translation import END, ENGLISH, GERMAN


def figure(number=64_238):
    return Alignment(TranslationRecipe().load().state_dict(), ENGLISH, GERMAN, number)


def as_the_browser_sees(made):
    """The model with the weights of the figure, after their rounding to int8."""
    model = TranslationRecipe().build()
    model.load_state_dict(made.seen())
    return model.eval()


def by_torch(model, n):
    """English words, German tokens without the end, and the weights of each piece."""
    pairs = translation.encode((n,))
    written = greedy(model, pairs.source, pairs.mask, 50)
    tokens = written.tokens[0].tolist()
    T = tokens.index(END)
    return numbers.english(n), tuple(GERMAN[token] for token in tokens[:T]), written.weights[0, :T]


@pytest.mark.parametrize("n", [0, 7, 42, 64_238, 1_000_001, 123_456_789_012_345, 999_999_999_999_999])
def test_same_as_torch(compute, n):
    made = figure()
    got = compute(made)({"number": n})
    english, german, weights = by_torch(as_the_browser_sees(made), n)
    assert tuple(got["english"]) == english
    assert tuple(got["german"]) == german
    assert torch.tensor(got["weights"]).flatten().tolist() == pytest.approx(weights.flatten().tolist(), abs=2e-4)


def test_every_number_has_the_english_words_that_the_model_was_taught(compute):
    forward = compute(figure())
    draw = torch.Generator().manual_seed(0)
    sizes = torch.randint(1, 16, (60,), generator=draw).tolist()
    drawn = [int(torch.randint(10 ** (d - 1), 10**d, (1,), generator=draw)) for d in sizes]
    for n in (*range(0, 120, 7), 200, 1_000, 1_005, 1_042_000, 10**6, 10**6 + 5, 10**12, 7 * 10**12 + 300, *drawn):
        assert tuple(forward({"number": n})["english"]) == numbers.english(n)


def test_the_weights_are_light():
    assert len(figure().buffer) < 50_000


def test_it_starts_where_the_first_piece_looks_at_the_second_word(mount):
    shown = mount(figure())
    value = shown.value()
    assert value["german"][:4] == ["vier", "und", "sech", "zig"]
    assert max(value["weights"]) == value["weights"][1]
    expect(shown.root.locator(".says")).to_contain_text("“vier” attended most to “four”, word 2 of 8")


def test_typing_a_number_translates_it(mount):
    shown = mount(figure())
    box = shown.root.get_by_role("textbox", name="A number of up to 15 digits")
    expect(box).to_have_attribute("inputmode", "numeric")
    box.fill("42")
    assert shown.value()["german"] == ["zwei", "und", "vier", "zig"]
    box.press("ArrowUp")
    assert shown.value()["number"] == 43
    expect(box).to_have_value("43")
    for wrong in ("", "forty", "1234567890123456"):
        box.fill(wrong)
        expect(shown.root.locator(".says")).to_have_text("A whole number of 1 to 15 digits, please.")
    assert shown.value()["number"] == 43
    box.fill("0")
    box.press("ArrowDown")
    assert shown.value()["number"] == 0


def test_the_keyboard_moves_along_the_tokens(mount):
    shown = mount(figure(42))
    pieces = shown.root.get_by_role("listbox", name="German tokens")
    pieces.focus()
    pieces.press("ArrowRight")
    pieces.press("ArrowRight")
    assert shown.value()["at"] == 2
    expect(pieces.get_by_role("option").nth(2)).to_have_attribute("aria-selected", "true")
    expect(shown.root.locator(".says")).to_contain_text("“vier” attended most to “forty”, word 1 of 2")
    pieces.press("End")
    pieces.press("ArrowRight")
    assert shown.value()["at"] == 3
    pieces.press("ArrowLeft")
    assert shown.value()["at"] == 2
    pieces.press("Home")
    assert shown.value()["at"] == 0


def test_hovering_a_piece_or_a_row_of_the_table_shows_where_it_looked(mount):
    shown = mount(figure(42))
    shown.root.get_by_role("option").nth(2).hover()
    assert shown.value()["at"] == 2
    lit = shown.root.locator(".looked span").first.evaluate("e => Number(e.style.getPropertyValue('--weight'))")
    assert lit == pytest.approx(shown.value()["weights"][0], abs=1e-3)
    box = shown.root.locator("svg.table .cells rect").first.bounding_box()
    shown.page.mouse.move(box["x"] + 3, box["y"] + 3)
    assert shown.value()["at"] == 0


def test_touch_chooses_a_piece_on_a_phone(mount):
    shown = mount(figure(999_999_999_999_999), width=340, has_touch=True)
    shown.root.get_by_role("option").nth(20).tap()
    assert shown.value()["at"] == 20
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 340


def test_bad_input_is_refused():
    tensors = TranslationRecipe().build().state_dict()
    with pytest.raises(ValueError, match=r"english: got '1 words' .* expected 34 words"):
        Alignment(tensors, ["and"], GERMAN)
    with pytest.raises(ValueError, match=r"number: got -1"):
        Alignment(tensors, ENGLISH, GERMAN, number=-1)


def test_int8_changes_hardly_an_answer():
    asked = encoded("test", 15, 60)
    said, rounded = (
        greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
        for model in (TranslationRecipe().load(), as_the_browser_sees(figure()))
    )
    assert (said == rounded).all(1).double().mean() > 0.97


def calls():
    return {
        Alignment: {
            "tensors": Translator(3, 4, 2, 4).state_dict(),
            "english": ["and", "one", "two"],
            "german": ["end", "eins", "zwei", "drei"],
            "number": 12,
            "end": 1,
        },
    }


def good():
    return {
        Alignment: {"number": {"zero"}, "end": {"zero"}},
    }
