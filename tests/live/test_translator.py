"""The Transformer in a real browser: the same pieces, logits and weights as torch; by typing, keys, mouse, touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.translator import LEVELS, TransformerHeads
from attend.recipes.translation import encoded
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy
from attend.tasks import numbers, translation
from attend.tasks.pairs import exact
from attend.tasks.translation import END, ENGLISH, GERMAN
from attend.transformers.attention_weights import attention_weights
from attend.transformers.translator import Transformer

BOX = "A number of up to 15 digits"


def figure(number=64_238, **options):
    return TransformerHeads(TransformerRecipe().load().state_dict(), ENGLISH, GERMAN, 4, number, **options)


def as_the_browser_sees(made):
    """The model with the weights of the figure, after their rounding."""
    model = TransformerRecipe().build()
    model.load_state_dict(made.weights())
    return model.eval()


def by_torch(model, n):
    """German pieces with the end, their logits, and all looks of the model that writes them."""
    source, mask = translation.encode((n,))[:2]
    tokens = greedy(model, source, mask, 50).tokens
    tokens = tokens[:, : tokens[0].tolist().index(END) + 1]
    with torch.no_grad():
        return tokens[0].tolist(), model(source, mask, tokens)[0], attention_weights(model, source, mask, tokens)


def test_same_as_torch(compute):
    made = figure()
    forward, model = compute(made), as_the_browser_sees(made)
    for n in (0, 7, 42, 64_238, 1_000_001, 123_456_789_012_345, 999_999_999_999_999):
        got, (tokens, logits, found) = forward({"number": n}), by_torch(model, n)
        assert tuple(got["english"]) == numbers.english(n)
        assert got["german"] == [*(GERMAN[token] for token in tokens[:-1]), "(end)"]
        torch.testing.assert_close(torch.tensor(got["logits"], dtype=torch.float), logits, atol=2e-3, rtol=1e-3)
        for place, weights in (("encoder", found.encoder), ("between", found.cross)):
            torch.testing.assert_close(torch.tensor(got[place], dtype=torch.float), weights[0], atol=5e-4, rtol=0)
        T = len(tokens)
        for n_layer in range(2):
            for k in range(4):
                rows = got["decoder"][n_layer][k]
                assert [len(row) for row in rows] == list(range(1, T + 1))
                filled = torch.tensor([row + [0.0] * (T - len(row)) for row in rows])
                torch.testing.assert_close(filled, found.decoder[0, n_layer, k], atol=5e-4, rtol=0)


def test_the_weights_are_light_and_nearly_the_same():
    made = figure()
    assert len(made.buffer) < 90_000
    for name, of in TransformerRecipe().load().state_dict().items():
        step = of.abs().amax(-1, keepdim=True) / LEVELS if of.ndim == 2 else of.abs().clamp(min=0.1) / 500
        assert bool(((made.weights()[name] - of).abs() <= 0.51 * step + 2e-3 * of.abs()).all()), name


@pytest.mark.nightly
def test_rounding_changes_hardly_an_answer():
    asked = encoded("validation", 15, 100)
    right = [
        exact(greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens, asked.target, asked.asked)
        for model in (TransformerRecipe().load(), as_the_browser_sees(figure()))
    ]
    assert right[1].double().mean() > right[0].double().mean() - 0.02


def test_it_starts_between_and_at_the_first_piece(mount):
    value = mount(figure()).value()
    assert value["german"][:4] == ["vier", "und", "sech", "zig"]
    assert (value["place"], value["at"]) == ("between", 0)
    assert len(value["weights"]) == len(value["english"]) == 8


def test_typing_a_number_translates_it(mount):
    shown = mount(figure())
    box = shown.root.get_by_role("textbox", name=BOX)
    expect(box).to_have_attribute("inputmode", "numeric")
    box.fill("42")
    assert shown.value()["german"] == ["zwei", "und", "vier", "zig", "(end)"]
    box.fill("many")
    expect(shown.root.locator(".says")).to_contain_text("A whole number of 1 to 15 digits")
    assert shown.value()["number"] == 42
    box.fill("41")
    box.press("ArrowUp")
    assert shown.value()["number"] == 42
    expect(box).to_have_value("42")


def test_every_head_can_be_chosen_by_keys(mount):
    shown = mount(figure(head=1))
    radio = shown.root.get_by_role("radio", name="layer 2, head 1")
    radio.focus()
    radio.press("ArrowRight")
    assert (shown.value()["layer"], shown.value()["head"]) == (2, 2)
    first = shown.value()["weights"]
    shown.page.keyboard.press("ArrowLeft")
    assert shown.value()["weights"] != first


@pytest.mark.parametrize("place", ["encoder", "decoder"])
def test_the_other_places(mount, place):
    shown = mount(figure())
    shown.root.get_by_text(f"in the {place}").click()
    value = shown.value()
    assert value["place"] == place
    assert len(value["weights"]) == (8 if place == "encoder" else 1)
    pieces = shown.root.get_by_role("listbox")
    pieces.focus()
    pieces.press("ArrowRight")
    assert shown.value()["at"] == 1
    assert len(shown.value()["weights"]) == (8 if place == "encoder" else 2)
    pieces.press("End")
    askers = value["english"] if place == "encoder" else value["german"]
    assert shown.value()["at"] == len(askers) - 1


def test_the_mouse_finds_a_row_and_a_head(mount):
    shown = mount(figure())
    shown.root.get_by_role("option").nth(3).hover()
    assert shown.value()["at"] == 3
    table = shown.root.locator(".table")
    box = table.bounding_box()
    table.hover(position={"x": box["width"] / 4, "y": box["height"] - 5})
    assert shown.value()["at"] == len(shown.value()["german"]) - 1
    shown.root.locator(".heads label").nth(1).click()
    assert (shown.value()["layer"], shown.value()["head"]) == (1, 2)


def test_by_touch_on_a_phone(mount):
    shown = mount(figure(999_999_999_999_999), width=340, has_touch=True)
    shown.root.get_by_role("option").nth(20).tap()
    assert shown.value()["at"] == 20
    label = shown.root.locator(".heads label").nth(6)
    label.tap()
    assert (shown.value()["layer"], shown.value()["head"]) == (2, 3)
    assert label.bounding_box()["height"] >= 44
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 340


@pytest.mark.nightly
def test_fast_enough_to_type(mount):
    shown = mount(figure(999_999_999_999_999))
    took = shown.page.evaluate(
        """() => {
            const began = performance.now();
            attend.figures["translator"].compute(model, { number: 999999999999999 });
            return performance.now() - began;
        }"""
    )
    assert took < 1000


def test_bad_input_is_refused():
    tensors = TransformerRecipe().build().state_dict()
    with pytest.raises(ValueError, match=r"english: got '1 words' .* expected 34 words"):
        TransformerHeads(tensors, ["and"], GERMAN)
    for wrong, name in (
        ({"number": -1}, "number"),
        ({"layer": 3}, "layer"),
        ({"head": 5}, "head"),
        ({"place": "above"}, "place"),
        ({"K": 5}, "K"),
    ):
        with pytest.raises(ValueError, match=f"{name}: got"):
            TransformerHeads(tensors, ENGLISH, GERMAN, **wrong)


def calls():
    return {
        TransformerHeads: {
            "tensors": Transformer(3, 4, 4, 2, 5, 2).state_dict(),
            "english": ["and", "one", "two"],
            "german": ["end", "eins", "zwei", "drei"],
            "K": 2,
            "number": 12,
            "place": "decoder",
            "layer": 1,
            "head": 2,
            "end": 1,
        },
    }


def good():
    return {
        TransformerHeads: {"number": {"zero"}, "end": {"zero"}},
    }
