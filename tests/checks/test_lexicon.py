"""The exercise on alignments accepts the solution and names each typical mistake."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import lexicon


def said(table, source, target):
    return table[target][:, source]


def solution(table, source, target):
    return said(table, source, target).log().softmax(1)


WRONG = {
    "rows add up to 1": lambda *given: said(*given) / said(*given).sum(0),
    "these are the table's entries": said,
    "logarithms": lambda *given: said(*given).softmax(1),
    "largest takes all": lambda *given: torch.eye(3)[said(*given).argmax(1)],
    "swapped": lambda table, source, target: solution(table.T, source, target),
    "expected": lambda *given: torch.full((2, 3), 1 / 3),
    "shape": lambda *given: solution(*given).T,
}


def test_the_solution_is_accepted():
    accepts(lexicon.look, solution)
    accepts(lexicon.look, lambda *given: said(*given) / said(*given).sum(1, keepdim=True))


@pytest.mark.parametrize(("says", "answer"), WRONG.items(), ids=list(WRONG))
def test_each_mistake_is_named(says, answer):
    refuses(lexicon.look, answer, says=says)
