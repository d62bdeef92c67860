"""The exercises on alignments accept the solutions and name each typical mistake."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import alignment


def said(table, source, target):
    return table[target][:, source]


def solution(table, source, target):
    return said(table, source, target).log().softmax(1)


def rate(found, gold):
    return 1 - 2 * (found & gold).sum() / (found.sum() + gold.sum())


WRONG = {
    "rows add up to 1": lambda *given: said(*given) / said(*given).sum(0),
    "these are the table's entries": said,
    "logarithms": lambda *given: said(*given).softmax(1),
    "largest takes all": lambda *given: torch.eye(5)[said(*given).argmax(1)],
    "divided by their sum": lambda table, source, target: torch.full((len(target), len(source)), 1 / len(source)),
    "shape": lambda *given: solution(*given).T,
}
WRONG_RATES = {
    "1 minus that": lambda f, g: 1 - rate(f, g),
    "links that were missed": lambda f, g: 1 - (f & g).sum() / f.sum(),
    "links too many": lambda f, g: 1 - (f & g).sum() / g.sum(),
    "count twice": lambda f, g: 1 - (f & g).sum() / (f.sum() + g.sum()),
    "count links, not places": lambda f, g: (f != g).float().mean(),
    "divides by |A| + |G|": lambda f, g: 1 - (f & g).sum() / (f | g).sum(),
    "do not make": lambda f, g: 0.5,
    "must be a number": lambda f, g: "half",
}


def test_the_solutions_are_accepted():
    accepts(alignment.look, solution)
    accepts(alignment.look, lambda *given: said(*given) / said(*given).sum(1, keepdim=True))
    accepts(alignment.error_rate, rate)
    assert alignment.error_rate(lambda f, g: float(rate(f.numpy(), g.numpy()))).state == "right"


@pytest.mark.parametrize(("says", "answer"), WRONG.items(), ids=list(WRONG))
def test_each_mistake_is_named(says, answer):
    refuses(alignment.look, answer, says=says)


@pytest.mark.parametrize(("says", "answer"), WRONG_RATES.items(), ids=list(WRONG_RATES))
def test_each_wrong_rate_is_named(says, answer):
    refuses(alignment.error_rate, answer, says=says)
