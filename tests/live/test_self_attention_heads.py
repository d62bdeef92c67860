"""Every head of a small Transformer in a real browser: the same as torch; by typing, mouse, touch and keyboard."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.figure import unpack
from attend.live.self_attention_heads import SelfAttentionHeads
from attend.recipes.self_attention import SelfAttentionRecipe
from attend.tasks import plays
from attend.transformers.tiny_transformer import TinyTransformer

HEADS = 4
TEXT = "ROMEO.\nO, what is this?\n\nJULI"


@pytest.fixture(scope="module")
def trained():
    return SelfAttentionRecipe().load()


def figure(model, text=TEXT):
    return SelfAttentionHeads(model.state_dict(), HEADS, plays.ALPHABET, text)


def as_the_browser_sees(model, made):
    """The model with the weights of the figure, after their rounding to int8."""
    seen = TinyTransformer(len(plays.ALPHABET))
    seen.load_state_dict(unpack(made.layout_of_tensors, made.buffer))
    assert model.state_dict().keys() == seen.state_dict().keys()
    return seen.eval()


@torch.no_grad()
def by_torch(model, tokens):
    """Logits (T, V), and the weights of every head by layer, (heads, T, T) each."""
    x = model.token(tokens) + model.position(torch.arange(tokens.shape[1]))
    found = []
    for block in model.blocks:
        attn, read = block.self_attn, block.norm1(x)
        query, key = (part(read).unflatten(2, (HEADS, -1)).transpose(1, 2) for part in (attn.q_proj, attn.k_proj))
        later = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
        found.append((query @ key.mT / query.shape[-1] ** 0.5).masked_fill(later, -torch.inf).softmax(-1)[0])
        x = block(x)
    return model(tokens)[0], found


def test_same_as_torch(compute, trained):
    made = figure(trained)
    forward, model = compute(made), as_the_browser_sees(trained, made)
    for T in (1, 2, 17, 64):
        tokens = plays.stream("test")[1_000 : 1_000 + T]
        got, (logits, found) = forward({"tokens": tokens.tolist()}), by_torch(model, tokens[None])
        torch.testing.assert_close(torch.tensor(got["logits"]), logits, atol=2e-4, rtol=1e-4)
        for layer, weights in zip(got["weights"], found, strict=True):
            rows = torch.tensor([[row + [0.0] * (T - len(row)) for row in head] for head in layer], dtype=torch.float)
            torch.testing.assert_close(rows, weights, atol=1e-5, rtol=1e-4)


@pytest.mark.nightly
def test_the_weights_are_light_and_nearly_the_same(trained):
    made = figure(trained)
    assert len(made.buffer) < 150_000
    recipe = SelfAttentionRecipe()
    before, after = (recipe.loss(model, "validation") for model in (trained, as_the_browser_sees(trained, made)))
    assert after < before + 0.01


def test_choosing_a_character_shows_where_its_heads_look(mount, trained):
    shown = mount(figure(trained))
    last = shown.value()
    assert (last["text"], last["at"]) == (TEXT, len(TEXT) - 1)
    asks = shown.root.get_by_role("slider", name="The character that asks")
    asks.press("ArrowLeft")
    assert shown.value()["at"] == len(TEXT) - 2
    asks.press("Home")
    assert shown.value()["at"] == 0
    strip = shown.root.locator(".strip").nth(5)
    strip.locator("[data-at='9']").click()
    assert shown.value()["at"] == 9
    weights = strip.locator("[data-at]").evaluate_all(
        "cells => cells.map(cell => Number(cell.style.getPropertyValue('--weight')))"
    )
    assert sum(weights) == pytest.approx(1, abs=0.02)
    assert sum(weights[10:]) == 0


def test_the_model_writes_on_from_what_is_typed(mount, trained):
    shown = mount(figure(trained))
    shown.root.get_by_role("textbox").fill("JULIET.↵")
    assert shown.value()["text"] == "JULIET.\n"
    shown.root.get_by_role("button", name="Write one character").click()
    assert shown.value()["text"].startswith("JULIET.\n")
    assert len(shown.value()["text"]) == len("JULIET.\n") + 1
    shown.root.get_by_role("textbox").fill("a b")
    shown.root.get_by_role("textbox").press("ArrowLeft")
    shown.root.get_by_role("textbox").press("Enter")
    assert shown.value()["text"] == "a \nb"
    shown.root.get_by_role("textbox").fill("")
    assert shown.value()["at"] == -1
    expect(shown.root.get_by_role("button", name="Write one character")).to_be_disabled()
    shown.root.get_by_role("textbox").fill("µ a")
    assert shown.value()["text"] == " a"


def test_a_text_longer_than_the_context_loses_its_beginning(mount, trained):
    shown = mount(figure(trained, "a" * 60))
    for _ in range(6):
        shown.root.get_by_role("button", name="Write one character").press("Enter")
    assert len(shown.value()["text"]) == 64


def test_writing_on_can_be_stopped_and_hurries_where_motion_is_unwanted(mount, trained):
    shown = mount(figure(trained))
    shown.root.get_by_role("button", name="Write on", exact=True).click()
    shown.page.wait_for_function(f"published.text.length > {len(TEXT) + 2}")
    shown.root.get_by_role("button", name="Stop").click()
    length = len(shown.value()["text"])
    shown.page.wait_for_timeout(300)
    assert len(shown.value()["text"]) == length
    hurried = mount(figure(trained, "JULIET"), reduced_motion="reduce")
    hurried.root.get_by_role("button", name="Write on", exact=True).click()
    assert len(hurried.value()["text"]) == len("JULIET") + 40


def test_a_low_temperature_always_writes_the_likeliest(mount, trained):
    shown = mount(figure(trained, "JULIE"), reduced_motion="reduce")
    shown.root.get_by_role("slider", name="temperature").press("Home")
    likeliest = shown.value()["next"]
    shown.root.get_by_role("button", name="Write one character").click()
    assert shown.value()["text"] == f"JULIE{likeliest}"


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount, trained):
    shown = mount(figure(trained), width=360, theme="dark", has_touch=True)
    shown.root.locator(".strip").first.locator("[data-at='4']").tap()
    assert shown.value()["at"] == 4
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_heads": 3}, "num_heads: got 3"),
        ({"num_heads": 0}, "num_heads: got 0"),
        ({"alphabet": "abc"}, "alphabet: got 'abc'"),
        ({"text": "µ"}, "text: got 'µ'"),
        ({"text": ""}, "text: got ''"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    weights = TinyTransformer(len(plays.ALPHABET)).state_dict()
    given = {"weights": weights, "num_heads": HEADS, "alphabet": plays.ALPHABET, "text": TEXT} | changed
    with pytest.raises(ValueError, match=says):
        SelfAttentionHeads(**given)


def calls():
    weights = TinyTransformer(5, d_model=4, num_heads=2, num_layers=1, context=3).state_dict()
    return {
        SelfAttentionHeads: {"weights": weights, "num_heads": 2, "alphabet": "abcde", "text": "abe"},
    }
