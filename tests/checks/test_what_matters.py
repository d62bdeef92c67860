"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import what_matters as checks
from attend.recipes.what_matters import measured
from attend.tasks import translation
from attend.transformers.ablated import AblatedTranslator


def judge(changed, base, ddof=1, t=None, half=False):
    n, m = len(changed), len(base)
    a, b = np.var(changed, ddof=ddof) / n, np.var(base, ddof=ddof) / m
    df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
    by = np.mean(changed) - np.mean(base)
    reach = (t or stats.t.ppf(0.975, df)) * math.sqrt(a if half else a + b)
    return "worse" if by > reach else "better" if by < -reach else "cannot tell"


def share(runs, rows):
    each = int(runs / (rows + rows**0.5))
    return runs - rows * each, each


def test_solutions_and_stubs():
    accepts(checks.tables, (1, 1 - 0.95**20))
    accepts(checks.judge, judge)
    accepts(checks.plan, share)


def test_other_right_answers_are_right():
    assert checks.tables([1.0, torch.tensor(0.64)]).state == "right"
    assert checks.judge(lambda c, b: checks.verdict(np.array(c), b)).state == "right"
    assert checks.plan(lambda runs, rows: np.array(share(runs, rows))).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0.05, 0.64), "add these up"),
        ((1, 0.36), "no false alarm at all"),
        ((1, 1), "do not add up"),
        ((1, 0.05), "start from"),
        (1, "2 values"),
    ],
)
def test_wrong_tables_are_named(answer, says):
    refuses(checks.tables, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda c, b: judge(c, b, ddof=0), "n − 1"),
        (lambda c, b: judge(c, b, t=1.96), "Student's t"),
        (lambda c, b: judge(c, b, half=True), "both sides"),
        (lambda c, b: judge(b, c), "less is better"),
        (lambda c, b: "cannot tell", "interval of the difference"),
        (lambda c, b: "bad", "one of worse, better, cannot tell"),
    ],
)
def test_wrong_judges_are_named(answer, says):
    refuses(checks.judge, answer, says=says)


def test_every_slip_changes_a_verdict():
    right = [checks.verdict(*case) for case in checks.cases()]
    assert set(right) == set(checks.VERDICTS)
    for slip in checks.SLIPS.values():
        wrong = [checks._says(*checks._interval(*case, **slip)) for case in checks.cases()]
        assert sum(a != b for a, b in zip(wrong, right, strict=True)) >= 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda runs, rows: (runs // (rows + 1),) * 2, "same base"),
        (lambda runs, rows: (1, 2), "no spread"),
        (lambda runs, rows: (runs, runs), "more than 150 runs"),
        (lambda runs, rows: (runs - 2 * rows, 2), "too much for the base"),
        (lambda runs, rows: (10, 5), "can be had"),
        (lambda runs, rows: (2.5, 3), "whole number"),
    ],
)
def test_wrong_plans_are_named(answer, says):
    refuses(checks.plan, answer, says=says)


def bare(source_vocab, target_vocab):
    model = AblatedTranslator(source_vocab, target_vocab)
    for part in list(model.modules()):
        for name, child in list(part.named_children()):
            if isinstance(child, nn.LayerNorm):
                setattr(part, name, nn.Identity())
    return model


class Leaky(nn.Module):
    def __init__(self, source_vocab, target_vocab, seen):
        super().__init__()
        self.embedding, self.seen = nn.Embedding(60, target_vocab), seen

    def forward(self, source, mask, target):
        read = target if self.seen == "target" else source
        return self.embedding(read).mean(1, keepdim=True).repeat(1, target.shape[1], 1)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (AblatedTranslator, "12 LayerNorms"),
        (lambda S, V: torch.relu, "nn.Module"),
        (lambda S, V: Leaky(S, V, "target"), "later token"),
        (lambda S, V: Leaky(S, V, "source"), "padding"),
        (bare, "is anything but the norms changed?"),
    ],
)
def test_what_is_missing_in_a_model_is_named(make, says, monkeypatch):
    practise = checks.practise
    monkeypatch.setattr(checks, "practise", lambda model, seed: practise(model, seed, steps=2))
    refuses(checks.build, make, says=says)


@pytest.mark.nightly
def test_a_model_without_norms_is_trained_and_judged():
    assert "Judge them" in checks.build(bare).says


def test_the_numbers_are_those_of_the_page():
    torch.manual_seed(0)
    model = AblatedTranslator(len(translation.ENGLISH), len(translation.GERMAN)).eval()
    assert checks._mistakes(model) == measured(model, "validation")[0]


def test_no_model_yet():
    for nothing in (..., None, lambda source_vocab, target_vocab: ...):
        assert checks.build(nothing).state == "not yet"
