"""The language model in a real browser: the same as torch; by typing, by keyboard and by button."""

import math

import pytest
import torch
from playwright.sync_api import expect

from attend.live.supervision_text import NextCharacter
from attend.memory.supervision import LanguageModel

ALPHABET = "\n abcde."


def small():
    torch.manual_seed(0)
    model = LanguageModel(len(ALPHABET), 3, 5).requires_grad_(False)
    for weights in model.parameters():
        weights.copy_(torch.randn(weights.shape))
    return model


def figure(model, text="bad cab"):
    rnn = model.rnn
    return NextCharacter(
        model.embed.weight,
        rnn.from_input.weight,
        rnn.from_hidden.weight,
        rnn.from_input.bias,
        model.head.weight,
        model.head.bias,
        ALPHABET,
        text,
    )


@torch.no_grad()
def test_same_as_torch(compute):
    model = small()
    made = figure(model)
    forward, seen = compute(made), made.seen()
    for weights, name in (
        (model.embed.weight, "E"),
        (model.rnn.from_input.weight, "W"),
        (model.rnn.from_hidden.weight, "U"),
        (model.rnn.from_input.bias, "b"),
        (model.head.weight, "V"),
        (model.head.bias, "c"),
    ):
        weights.copy_(seen[name])
    for text in ("a", "bad cab.", "dd e"):
        tokens = torch.tensor([[ALPHABET.index(character) for character in "\n" + text]])
        logits = model(tokens)[0][0]
        nats = -logits[:-1].log_softmax(1).gather(1, tokens[0, 1:, None])[:, 0]
        for temperature in (0.5, 1.0):
            got = forward({"text": text, "temperature": temperature})
            assert got["bits"] == pytest.approx((nats / math.log(2)).tolist(), abs=1e-4)
            assert got["probs"] == pytest.approx((logits[-1] / temperature).softmax(0).tolist(), abs=1e-5)


def test_typing_choosing_and_writing(mount):
    shown = mount(figure(small()), width=360, theme="dark")
    assert shown.value()["text"] == "bad cab"
    box = shown.root.get_by_role("textbox", name="A line")
    box.fill("ab")
    before = shown.value()
    assert len(before["bits"]) == 2
    shown.root.locator(".bars .row").first.press("Enter")
    after = shown.value()
    assert after["text"][:2] == "ab"
    assert len(after["text"]) == 3
    assert after["bits"][2] == pytest.approx(-math.log2(before["probs"][0]))
    shown.root.get_by_role("button", name="Write 100").click()
    assert len(shown.value()["text"]) == 103
    shown.root.get_by_role("button", name="Take back").click()
    assert shown.value()["text"] == "ab"
    box.fill("!")
    expect(shown.root.locator(".says")).to_contain_text("No letters yet")
    assert shown.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match=r"text: got '' .*expected 1 to 80"):
        figure(small(), "")
    with pytest.raises(ValueError, match=r"text: got 'xyz' .*expected only"):
        figure(small(), "xyz")


def calls():
    return {
        NextCharacter: {
            "E": torch.ones(3, 2),
            "W": torch.ones(4, 2),
            "U": torch.eye(4),
            "b": torch.zeros(4),
            "V": torch.ones(3, 4),
            "c": torch.zeros(3),
            "alphabet": "\nab",
            "text": "ab",
        },
    }
