"""The classifier of reviews in a real browser: the same answers as torch; by typing, keyboard, mouse and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.supervision import Sentiment
from attend.memory.supervision import SequenceClassifier
from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import reviews

EXAMPLES = ["not good", "good", "a film that is, at best, dull!"]
WORDS = ("…", "not", "good", "isn't", "a", "film", ",", "!", "dull", "?")


def figure(model, words, examples=EXAMPLES):
    return Sentiment(
        model.embed.weight.detach(),
        model.rnn.from_input.weight.detach(),
        model.rnn.from_hidden.weight.detach(),
        model.rnn.from_input.bias.detach(),
        model.head.weight.detach()[0],
        model.head.bias.detach(),
        words,
        examples,
    )


def small():
    model = SequenceClassifier(len(WORDS), 3, 5)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return model


def as_the_browser_sees(made, model):
    """The model with the weights of the figure, after their rounding to int8."""
    seen = made.seen()
    with torch.no_grad():
        model.embed.weight.copy_(seen["E"])
        model.rnn.from_input.weight.copy_(seen["W"])
        model.rnn.from_hidden.weight.copy_(seen["U"])
        model.rnn.from_input.bias.copy_(seen["b"])
        model.head.weight.copy_(seen["head"].unsqueeze(0))
        model.head.bias.copy_(seen["bias"])
    return model


@torch.no_grad()
def test_same_as_torch(compute):
    model = small()
    made = figure(model, WORDS)
    model, forward = as_the_browser_sees(made, model), compute(made)
    for text in ("good", "Not GOOD", "It isn't good, a film: 42?", "a film that is dull", "isn\u2019t   dull -- good"):
        got = forward({"text": text})
        tokens, _ = reviews.encode([text], WORDS)
        hidden = model.rnn(model.embed(tokens))[0][0]
        means = hidden.cumsum(0) / torch.arange(1, len(hidden) + 1)[:, None]
        assert got["words"] == reviews.words(text)
        assert got["known"] == [word in WORDS[1:] for word in got["words"]]
        assert got["logits"] == pytest.approx(model.head(means)[:, 0].tolist(), abs=1e-5)
        assert got["hidden"] == [pytest.approx(h, abs=1e-5) for h in hidden.tolist()]
    assert forward({"text": " -- "}) == {"words": [], "known": [], "hidden": [], "logits": []}


@torch.no_grad()
def test_int8_changes_no_verdict_that_matters():
    recipe = ReviewsRecipe()
    model, batch = recipe.load(), reviews.whole("validation", recipe.words())
    exact = model(batch.tokens, batch.mask).sigmoid()
    rounded = as_the_browser_sees(figure(model, recipe.words()), model)(batch.tokens, batch.mask).sigmoid()
    assert (exact - rounded).abs().mean() < 0.01
    assert ((exact > 0.5) == (rounded > 0.5)).double().mean() > 0.99


def test_typing_moves_the_verdict_word_by_word(mount):
    shown = mount(figure(small(), WORDS))
    before = shown.value()
    assert before["words"] == ["not", "good"]
    assert before["at"] == 1
    box = shown.root.get_by_role("textbox", name="A sentence")
    box.press("End")
    box.press_sequentially(" a film")
    after = shown.value()
    assert after["words"] == ["not", "good", "a", "film"]
    assert after["positive"][:2] == pytest.approx(before["positive"])
    assert after["at"] == 3
    box.fill("")
    assert shown.value()["words"] == []
    expect(shown.root.get_by_role("status")).to_contain_text("No words yet")
    box.fill("zebra")
    expect(shown.root.get_by_role("status")).to_contain_text("does not know this word")
    box.fill(" ".join(["film"] * 60))
    assert len(shown.value()["words"]) == 40


def test_the_keyboard_steps_through_the_words(mount):
    shown = mount(figure(small(), WORDS))
    shown.root.get_by_role("radio", name="a film that is, at best, dull!").check(force=True)
    assert shown.value()["at"] == 9
    word = shown.root.get_by_role("slider", name="Word")
    word.press("ArrowLeft")
    assert shown.value()["at"] == 8
    assert word.get_attribute("aria-valuetext") == "dull, word 9 of 10"
    word.press("Shift+ArrowLeft")
    assert shown.value()["at"] == 0


def test_a_finger_and_a_mouse_pick_a_word(mount):
    shown = mount(figure(small(), WORDS), width=360, theme="dark", has_touch=True)
    shown.root.locator(".word").first.tap()
    assert shown.value()["at"] == 0
    shown.root.locator("svg").first.hover(position={"x": 250, "y": 60})
    assert shown.value()["at"] == 1
    overflow = shown.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0


def test_bad_input_is_refused_by_name():
    model = small()
    with pytest.raises(ValueError, match=r"words: got .*V = 10"):
        figure(model, WORDS[1:])
    with pytest.raises(ValueError, match="examples: got"):
        figure(model, WORDS, [])
    with pytest.raises(ValueError, match="examples: got"):
        figure(model, WORDS, [" "])


def calls():
    return {
        Sentiment: {
            "E": torch.ones(3, 2),
            "W": torch.ones(4, 2),
            "U": torch.eye(4),
            "b": torch.zeros(4),
            "head": torch.ones(4),
            "bias": torch.zeros(1),
            "words": ["…", "a", "film"],
            "examples": ["a film"],
        },
    }
