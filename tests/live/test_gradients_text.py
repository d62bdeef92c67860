"""Gradients by earlier characters, in node and in a real browser: the same as torch, by mouse and keyboard."""

import pytest
import torch

from attend.evidence.gradients import by_character
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM, LanguageModel
from attend.live.gradients_text import MODELS, GradientsByCharacter
from attend.memory.elman import RNN
from attend.recipes.gradients_text import trained
from attend.tasks import plays
from attend.transformers.tiny_transformer import TinyTransformer

V = len(plays.ALPHABET)
TEXT = "ROMEO.\nO, Juliet"


def small():
    torch.manual_seed(0)
    layers = {"rnn": RNN(V, 6), "gru": GRU(V, 5), "lstm": LSTM(V, 4)}
    models = {name: LanguageModel(layer) for name, layer in layers.items()}
    models["transformer"] = TinyTransformer(V, 8, 2, 2, 16)
    return models


def figure(models=None, **more):
    models = models or small()
    given = {"num_heads": 2, "alphabet": plays.ALPHABET, "text": TEXT} | more
    return GradientsByCharacter({name: model.state_dict() for name, model in models.items()}, **given)


def test_same_as_torch(compute):
    models = small()
    shown = figure(models)
    seen = shown.seen()
    for name, model in models.items():
        model.load_state_dict({key: seen[f"{name}.{key}"] for key in model.state_dict()})
    forward = compute(shown)
    for text in (TEXT, "It", "\nAy me."):
        tokens = plays.encode(text)
        got = forward({"tokens": tokens.tolist()})
        assert set(got) == set(MODELS)
        for name, model in models.items():
            torch.testing.assert_close(
                torch.tensor(got[name]["norms"]), by_character(model, tokens[None])[0], rtol=1e-4, atol=1e-7
            )


def test_the_models_that_come_with_the_package(compute):
    models = trained()
    tokens = plays.pages("test", 65)[7]
    got = compute(figure(models, num_heads=4))({"tokens": tokens.tolist()})
    for name, model in models.items():
        theirs = by_character(model, tokens[None])[0]
        assert torch.corrcoef(torch.stack([torch.tensor(got[name]["norms"]), theirs]))[0, 1] > 0.9
        assert got[name]["loss"] > 0


def test_another_character_is_chosen_and_another_text_typed(mount):
    shown = mount(figure())
    assert shown.value()["at"] == len(TEXT) - 1
    shown.root.get_by_role("slider").press("ArrowLeft")
    assert shown.value()["at"] == len(TEXT) - 2
    shown.root.get_by_role("slider").press("Home")
    assert shown.value()["at"] == 1
    shown.root.locator(".asks span").nth(5).click()
    assert shown.value()["at"] == 5
    shown.root.get_by_role("textbox").fill("A")
    assert shown.value() == {"text": "A", "at": -1, "far": {}}
    shown.root.get_by_role("textbox").fill("Ay, 7me")
    assert shown.value()["text"] == "Ay, me"


def test_a_phone_in_the_dark(mount):
    shown = mount(figure(far=4), width=360, theme="dark", has_touch=True)
    assert "or more back" in shown.root.locator(".says").text_content()
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("more", "name"),
    [({"num_heads": 3}, "num_heads"), ({"alphabet": "ab"}, "alphabet"), ({"text": "7"}, "text"), ({"far": 0}, "far")],
)
def test_bad_input_is_refused_by_name(more, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        figure(**more)


def test_a_missing_model_is_refused():
    with pytest.raises(ValueError, match="weights: got"):
        GradientsByCharacter({"rnn": {}}, 2, plays.ALPHABET, TEXT)


def calls():
    weights = {name: model.state_dict() for name, model in small().items()}
    return {
        GradientsByCharacter: {
            "weights": weights,
            "num_heads": 2,
            "alphabet": plays.ALPHABET,
            "text": TEXT,
            "far": 3,
        },
    }


def good():
    return {
        GradientsByCharacter: {"text": {"word"}},
    }
