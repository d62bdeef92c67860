"""The exercises on alignments accept the solutions and name each typical mistake."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import alignment

RIGHT = (0.75, 1 - 22 / 91, 5 / 6)


def after(weights, probs):
    return (weights.log() + probs.log()).softmax(1)


def shared(product):
    return product / product.sum(1, keepdim=True)


def e_step(table, source, target, mask):
    probs = table[target[:, :, None], source[:, None]] * mask[:, None]
    return probs / probs.sum(2, keepdim=True)


def m_step(weights, source, target, asked, table):
    V, U = table.shape
    counts = torch.full((V * U,), 1e-3)
    pairs = target[:, :, None] * U + source[:, None]
    counts.index_add_(0, pairs.flatten(), (weights * asked[:, :, None]).flatten())
    counts = counts.view(V, U)
    return counts / counts.sum(0)


def kept_once(weights, source, target, asked, table):
    counts = torch.full_like(table, 1e-3)
    counts[target[:, :, None], source[:, None]] += weights * asked[:, :, None]
    return counts / counts.sum(0)


WRONG_NUMBERS = {
    "divide it by what it says of das and Buch": (0.5, *RIGHT[1:]),
    "over the sum of": (0.6, *RIGHT[1:]),
    "1 minus that": (0.75, 22 / 91, 5 / 6),
    "counts wrong links alone": (0.75, 1 - 11 / 80, 5 / 6),
    "most of the 80 links are wrong": (0.75, 0.0, 5 / 6),
    "80 links were found": (0.75, 0.5, 5 / 6),
    "not a weight yet": (0.75, RIGHT[1], 0.02),
    "over the sum of these products": (0.75, RIGHT[1], 0.5),
    "3 values": (0.75, 0.5),
}
WRONG_AFTER = {
    "must still add up to 1": lambda w, p: w * p,
    "here columns do": lambda w, p: w * p / (w * p).sum(0),
    "logarithms": lambda w, p: (w * p).softmax(1),
    "the weights before the word are missing": lambda w, p: shared(p),
    "the table is missing": lambda w, p: w,
    "adds weights and probabilities": lambda w, p: shared(w + p),
    "largest takes all": lambda w, p: torch.eye(w.shape[1])[(w * p).argmax(1)],
    "divided by its sum": lambda w, p: torch.full_like(w, 1 / w.shape[1]),
    "0 / 0 is no weight": lambda w, p: shared(w * p),
    "shape": lambda w, p: after(w, p).T,
}
WRONG_STEPS = {
    "padding got weight": (lambda t, s, e, m: shared_rows(t[e[:, :, None], s[:, None]]), m_step),
    "each target word add up to 1": (lambda t, s, e, m: t[e[:, :, None], s[:, None]] * m[:, None], m_step),
    "over the sum of the row": (lambda t, s, e, m: shared_rows(m[:, None].expand(-1, e.shape[1], -1).float()), m_step),
    "each column": (e_step, lambda *given: m_step(*given).T.softmax(0).T),
    "target words that are padding": (e_step, lambda w, s, e, asked, t: m_step(w, s, e, asked | True, t)),
    "keeps only one of them": (e_step, kept_once),
    "the weights must be a tensor": (lambda t, s, e, m: t, m_step),
}


def shared_rows(product):
    return product / product.sum(2, keepdim=True)


def test_the_solutions_are_accepted():
    assert alignment.numbers(RIGHT).state == "right"
    accepts(alignment.after, after)


@pytest.mark.nightly
def test_the_readers_steps_are_accepted_and_stubs_are_not_yet():
    found = alignment.build(e_step, m_step)
    assert found.state == "right", found.says
    assert alignment.build(lambda t, s, e, m: ..., m_step).state == "not yet"


@pytest.mark.parametrize(("says", "answer"), WRONG_NUMBERS.items(), ids=list(WRONG_NUMBERS))
def test_each_wrong_number_is_named(says, answer):
    found = alignment.numbers(answer)
    assert found.state == "wrong"
    assert says in found.says


@pytest.mark.parametrize(("says", "answer"), WRONG_AFTER.items(), ids=list(WRONG_AFTER))
def test_each_mistake_with_bayes_rule_is_named(says, answer):
    refuses(alignment.after, answer, says=says)


@pytest.mark.parametrize(("says", "answer"), WRONG_STEPS.items(), ids=list(WRONG_STEPS))
def test_each_broken_step_is_named(says, answer):
    found = alignment.build(*answer)
    assert found.state == "wrong"
    assert says in found.says, found.says


@pytest.mark.nightly
def test_five_rounds_that_learn_nothing_are_not_enough(monkeypatch):
    monkeypatch.setattr(alignment, "ENOUGH", 0.1)
    assert "0.1 is asked for" in alignment.build(e_step, m_step).says
