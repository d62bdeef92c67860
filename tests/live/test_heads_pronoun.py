"""Every head on a sentence with a pronoun: the same as torch; by typing, switches, touch and keyboard."""

import pytest
import torch

from attend.live.figure import unpack
from attend.live.heads_pronoun import HeadsPronoun
from attend.recipes.attention_only import PronounRecipe, without
from attend.tasks.pronouns import ANIMALS, WORDS, encode
from attend.transformers.attention_only import AttentionOnly

SENTENCE = "the dog did not catch the cat because it was too tired"


@pytest.fixture(scope="module")
def trained():
    return PronounRecipe().load()


def figure(model, sentence=SENTENCE):
    return HeadsPronoun(model.state_dict(), 4, WORDS, len(ANIMALS), "it", sentence)


def test_same_as_torch(compute, trained):
    made = figure(trained)
    seen = PronounRecipe().build()
    seen.load_state_dict(unpack(made.layout_of_tensors, made.buffer))
    assert len(made.buffer) < 50_000
    forward, none = compute(made), [[False] * 4, [False] * 4]
    for sentence in (SENTENCE, "it was too fast"):
        for cut, model in ((none, seen), ([[False] * 4, [False, False, True, False]], without(seen, 1, 2))):
            tokens = encode(sentence)
            got = forward({"tokens": tokens[0].tolist(), "cut": cut})
            with torch.no_grad():
                logits, weights = model(tokens)
            torch.testing.assert_close(torch.tensor(got["logits"]), logits[0], atol=2e-4, rtol=1e-4)
            torch.testing.assert_close(torch.tensor(got["weights"]), weights[0], atol=1e-5, rtol=1e-4)


def test_the_last_word_decides_and_cut_heads_are_missed(mount, trained):
    shown = mount(figure(trained))
    first = shown.value()
    assert (first["answer"], first["text"], first["at"]) == ("dog", SENTENCE, 8)
    shown.root.get_by_role("textbox").fill(SENTENCE.replace("tired", "fast"))
    assert shown.value()["answer"] == "cat"
    shown.root.get_by_role("textbox").fill("the dog barks")
    assert "Unknown: barks" in shown.root.locator(".says").inner_text()
    assert shown.value()["answer"] == "cat"
    asks = shown.root.get_by_role("slider", name="The word that asks")
    asks.press("Home")
    assert shown.value()["at"] == 0
    for layer in (1, 2):
        for head in (1, 2, 3, 4):
            shown.root.get_by_role("checkbox", name=f"layer {layer}, head {head}").uncheck()
    assert all(shown.value()["cut"])
    assert shown.value()["share"] < 0.6
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount, trained):
    shown = mount(figure(trained), width=360, theme="dark", has_touch=True)
    shown.root.locator(".strip").first.locator("[data-at='4']").tap()
    assert shown.value()["at"] == 4
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_heads": 3}, "num_heads: got 3"),
        ({"words": ["a", "b"]}, "words: got"),
        ({"answers": 0}, "answers: got 0"),
        ({"asks": "she"}, "asks: got 'she'"),
        ({"sentence": "the dog"}, "sentence: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    weights = PronounRecipe().build().state_dict()
    given = {
        "weights": weights,
        "num_heads": 4,
        "words": WORDS,
        "answers": 12,
        "asks": "it",
        "sentence": SENTENCE,
    }
    with pytest.raises(ValueError, match=says):
        HeadsPronoun(**(given | changed))


def calls():
    weights = AttentionOnly(3, d_model=4, num_heads=2, num_layers=1, context=3, causal=False).state_dict()
    return {
        HeadsPronoun: {
            "weights": weights,
            "num_heads": 2,
            "words": ["dog", "it", "was"],
            "answers": 1,
            "asks": "it",
            "sentence": "it was",
        },
    }
