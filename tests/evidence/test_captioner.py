"""How far one step with the expected context is from the mean over regions, in cases that are known."""

import pytest
import torch

from attend.evidence import captioner as page
from attend.hard.captioner import Captioner
from attend.recipes.captioner import held_out
from attend.tasks import scenes


def few(count=20):
    return scenes.Scenes(*(part[:count] for part in held_out(500)))


def model(seed=0):
    torch.manual_seed(seed)
    return Captioner(len(scenes.WORDS)).requires_grad_(False)


def test_where_all_regions_are_alike_there_is_no_gap(monkeypatch):
    monkeypatch.setattr(page, "features", lambda images: torch.ones(len(images), 9, 48))
    made = model()
    made.positions.zero_()
    found = page.gaps(made, few())
    for what in ("pass", "geometric", "draw"):
        assert found[what] == pytest.approx(0, abs=1e-5)


def test_where_logits_are_linear_one_pass_is_the_geometric_mean():
    made = model()
    made.from_hidden.weight.zero_()  # the state does not reach the words
    made.from_context.weight.mul_(4)
    found = page.gaps(made, few())
    assert found["pass"] == pytest.approx(found["geometric"], abs=1e-5)
    assert found["draw"] > found["pass"] > 0.01


def test_the_gap_of_the_state_closes_where_the_context_varies_little():
    made = model()
    wide = page.gaps(made, few())["state"]
    made.lstm.weight_ih[:, 24:] *= 0.01
    assert page.gaps(made, few())["state"] < 0.1 * wide
