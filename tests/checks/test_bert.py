"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax

from attend.checks import bert as checks
from attend.recipes.bert import labelled, trained

GIVEN = (trained, labelled)


@pytest.mark.parametrize("answer", [(300, 240, 1730), [300.0, torch.tensor(240), 1730]])
def test_shares(answer):
    assert checks.shares(answer).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((240, 240, 1730), "all that were chosen"),
        ((300, 1600, 1730), "not 80 %"),
        ((300, 240, 1700), "stay as they are"),
        ((300, 240, 1760), "10 % of those"),
        ((300, 240), "3 values"),
    ],
)
def test_wrong_shares_are_named(answer, says):
    refuses(checks.shares, answer, says=says)


def loss(logits, tokens, chosen):
    return cross_entropy(logits.flatten(0, 1), tokens.masked_fill(~chosen, -100).flatten())


def by_hand(logits, tokens, chosen):
    return float(-log_softmax(logits, 2).gather(2, tokens[..., None])[..., 0][chosen].mean())


def test_the_loss_written_in_two_ways():
    accepts(checks.masked_loss, loss)
    assert checks.masked_loss(by_hand).state == "right"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda logits, tokens, chosen: loss(logits, tokens, ~chosen), "but the chosen ones"),
        (lambda logits, tokens, chosen: cross_entropy(logits.mT, tokens), "every word"),
        (lambda logits, tokens, chosen: loss(logits, tokens, tokens > 0), "every word"),
        (lambda logits, tokens, chosen: loss(logits, tokens, chosen) * chosen.sum(), "not their sum"),
        (lambda logits, tokens, chosen: loss(logits, tokens, chosen) * chosen.float().mean(), "divide by"),
        (lambda logits, tokens, chosen: loss(logits, tokens, chosen) + 1, "another number"),
    ],
)
def test_wrong_losses_are_named(wrong, says):
    refuses(checks.masked_loss, wrong, says=says)


class Mine(nn.Module):
    def __init__(self, encoder, width=48):
        super().__init__()
        self.encoder, self.width = encoder, width
        self.output = nn.Linear(width, 2)

    def forward(self, tokens, segments):
        hidden = self.encoder(tokens, segments)
        return self.output(self.encoder.pooler(hidden[:, 0]))


class Wide(Mine):
    def __init__(self, encoder):
        super().__init__(encoder)
        self.more = nn.Linear(48, 96)


class Alone(nn.Module):
    def __init__(self):
        super().__init__()
        self.output = nn.Linear(1, 2)

    def forward(self, tokens, segments):
        return self.output(tokens[:, :1].float())


@pytest.mark.nightly
def test_the_page_s_own_classifier_gets_there():
    assert checks.tune(Mine, *GIVEN).state == "right"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Wide, "may add"),
        (lambda encoder: Alone(), "no part of your module"),
        (lambda encoder: torch.relu, "nn.Module"),
    ],
)
def test_what_is_missing_is_named(make, says, monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 2)
    refuses(checks.tune, make, *GIVEN, says=says)


class First(Mine):
    def forward(self, tokens, segments):
        return super().forward(tokens * (segments == 0), segments)


@pytest.mark.nightly
def test_who_reads_one_sentence_is_told_to_read_both():
    refuses(checks.tune, First, *GIVEN, says="both sentences")


def test_nothing_yet():
    for nothing in (..., None, lambda encoder: ...):
        assert checks.tune(nothing, *GIVEN).state == "not yet"
