"""What page window measures is what its sentences are about: who writes true strokes is read, who scribbles is not."""

import pytest
import torch

from attend.evidence import window
from attend.recipes import window as recipes
from attend.recipes import window_copy
from attend.tasks import strokes

ASKED = []


class Scribbler:
    def write(self, text, bias=0.0, most=600, generator=None):
        return (torch.randn(60, 3, generator=generator),)


class Master:
    """Writes as the font does, and with a bias of 0 leaves every word's last half out."""

    def write(self, text, bias=0.0, most=600, generator=None):
        word = strokes.words.spell(text[0, :-1])
        pen = strokes.write(word, "script", 5)
        return (pen if bias else pen[: len(pen) // 2],)


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    def train(recipe):
        ASKED.append((recipe.kind, recipe.steps, recipe.offset))
        return {"window": Master(), "fixed": Scribbler()}[recipe.kind], None

    def copier(recipe):
        ASKED.append((recipe.kind, recipe.order, recipe.encoder, recipe.offset))
        return window_copy.Copier(recipe.kind, recipe.encoder, recipe.K or 3).requires_grad_(False)

    ASKED.clear()
    window._read.cache_clear()
    window._writer.cache_clear()
    monkeypatch.setattr(recipes.WindowRecipe, "train", train)
    monkeypatch.setattr(window_copy.WindowCopyRecipe, "train", copier)
    yield
    window._read.cache_clear()
    window._writer.cache_clear()


def test_true_strokes_are_read_and_scribbles_are_not():
    found = window.reads(0)
    assert found["window"] > 0.9
    assert found["true strokes"] > 0.9
    assert found["one vector"] < 0.2


def test_half_a_word_is_half_read():
    found = window.neat(0)
    assert found["bias 1"] - found["bias 0"] == pytest.approx(0.5, abs=0.15)


def test_what_long_words_cost_is_a_difference():
    found = window.longer(0)
    assert found["points lost on long words"] == pytest.approx(window.reads(0)["window"] - found["window"])


def test_held_out_words_are_of_two_lengths_and_of_the_test_part():
    short, long = window._words(False), window._words(True)
    assert (len(short), len(long)) == (60, 40)
    assert set(short) <= set(strokes.lexicon("test"))
    assert all(8 <= len(word) <= 12 for word in long)


def test_untrained_copiers_guess():
    found = window.copy(0)
    assert all(0.05 < value < 0.16 for value in found.values())
    assert [(kind, "copy", True, None) for kind in ("window", "content", "location")] == ASKED


def test_turned_strings_are_written_with_and_without_exp():
    assert all(0.05 < value < 0.16 for value in window.turned(0).values())
    assert [(kind, "sixes", False, None) for kind in ("window", "free")] == ASKED


def test_starts_differ_in_the_offset():
    assert set(window.start(0)) >= {"start 0", "start −2.5", "start 2"}
    assert [("window", "copy", True, offset) for offset in (0.0, -2.5, 2.0)] == ASKED


def test_more_practice_means_three_times_as_many_steps():
    window._practised.cache_clear()
    found = window.reads_longer(0)
    window._practised.cache_clear()
    assert found["window"] > 0.9
    assert ASKED == [("window", 1_200, -2.5)]


def test_rounding_is_a_difference():
    found = window.rounding(0)
    assert found["nats a pen step lost by rounding"] == found["rounded"] - found["trained"]
