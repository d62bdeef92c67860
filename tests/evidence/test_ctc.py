"""What page ctc measures is what its sentences are about."""

from itertools import product

import pytest
import torch

from attend.evidence import ctc
from attend.recipes.ctc import CTCRecipe
from attend.soft.ctc import collapse
from attend.tasks import speech


@pytest.fixture
def untrained(monkeypatch):
    asked = []

    def build(kind, seed, most=900, backwards=False):
        asked.append((kind, most, backwards))
        return CTCRecipe(kind, seed).build()

    monkeypatch.setattr(ctc, "trained", build)
    few = speech.load("test", 5)
    monkeypatch.setattr(ctc.speech, "load", lambda part, most=None: few)
    monkeypatch.setattr(ctc, "long_recordings", lambda: few)
    return asked


@pytest.mark.parametrize("claim", ["digits", "sizes", "longer", "reversed_order", "beam"])
def test_who_was_trained_on_nothing_is_wrong_throughout(claim, untrained):
    assert all(value > 0.6 for value in getattr(ctc, claim)(0).values())


def test_each_side_is_trained_on_what_its_name_says(untrained):
    ctc.sizes(0)
    assert untrained == [("ctc", 200, False), ("ctc", 900, False), ("attention", 200, False), ("attention", 900, False)]


def test_reversed_order_trains_both_kinds_in_reverse(untrained):
    ctc.reversed_order(0)
    assert untrained == [("ctc", 900, True), ("attention", 900, True)]


def test_outcomes_are_all_that_can_be_said():
    probs = torch.tensor([[0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.2, 0.1, 0.7]])
    found = ctc.outcomes(probs.log())
    assert sum(found.values()) == pytest.approx(1)
    assert found[1, 2] == pytest.approx(0.613)
    assert found[1, 1] == pytest.approx(0.04)


@pytest.mark.parametrize("labels", [[1], [1, 2], [2, 2]])
def test_paths_that_say_the_labels_are_found_at_once(labels):
    paths = torch.tensor(list(product(range(3), repeat=4)))
    wanted = [collapse(path) == labels for path in paths]
    assert ctc.says(paths, torch.tensor(labels)).tolist() == wanted


def test_no_path_of_a_thousand_at_the_start():
    assert ctc.sampled(1)["no right path among 1,000"] > 0.9
