"""Eight sizes of GPT: how their learning rates are chosen, and what is kept of a card's measurements."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from attend.recipes import gpt_sizes
from attend.recipes.gpt import Capacity, plays_nats


def test_every_chosen_rate_lies_between_two_that_were_worse():
    for by_rate in gpt_sizes.measured()["rates"].values():
        losses = [by_rate[rate] for rate in sorted(by_rate, key=float)]
        assert min(losses) not in (losses[0], losses[-1])


def test_the_sizes_are_those_of_the_models():
    found = gpt_sizes.measured()["weights"]
    assert found == {str(width): gpt_sizes.weights(width) for width in gpt_sizes.WIDTHS}


def test_the_loss_is_measured_as_that_of_the_small_ones():
    model = Capacity(8).build().eval()
    assert gpt_sizes.nats(model, "test", rows=100) == pytest.approx(plays_nats(model, "test", rows=100))


def test_a_seed_that_was_not_measured_is_trained(monkeypatch):
    monkeypatch.setattr(gpt_sizes, "STEPS", 20)
    assert gpt_sizes.loss(8, 7) > gpt_sizes.loss(8, 20)


def test_the_best_rate_on_validation_scenes_is_judged_on_test_scenes(monkeypatch, tmp_path):
    def done(job):
        _, rate, seed, part = job
        return {"train": 0.0, part: abs(rate - 0.03) + (0 if part == "validation" else seed)}

    monkeypatch.setattr(gpt_sizes, "ProcessPoolExecutor", lambda workers, mp_context: ThreadPoolExecutor(workers))
    monkeypatch.setattr(gpt_sizes, "WIDTHS", (8,))
    monkeypatch.setattr(gpt_sizes, "FILE", tmp_path / "found.json")
    monkeypatch.setattr(gpt_sizes, "done", done)
    gpt_sizes.export()
    gpt_sizes.measured.cache_clear()
    monkeypatch.setattr(gpt_sizes, "read_record", lambda path: json.loads(path.read_text()))
    assert [gpt_sizes.loss(8, seed) for seed in gpt_sizes.SEEDS] == list(gpt_sizes.SEEDS)
    gpt_sizes.measured.cache_clear()
