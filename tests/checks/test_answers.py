"""An answer of the wrong form is named, and one of the right form comes back in it."""

import numpy as np
import pytest
import torch

from attend.checks import answers
from attend.checks.exercise import Wrong


def test_the_right_form_comes_back():
    assert answers.parts([1, 2], 2) == (1, 2)
    assert answers.number(torch.tensor([0.5])) == 0.5
    assert answers.number(np.float32(0.5)) == answers.number(np.array(0.5)) == 0.5
    assert answers.whole(3.0) == 3
    assert answers.tensor(np.arange(3.0)[::-1], 3).tolist() == [2, 1, 0]
    assert torch.equal(answers.tensor([[1, 2]], 1, 2), torch.tensor([[1.0, 2.0]]))


@pytest.mark.parametrize(
    ("read", "says"),
    [
        (lambda: answers.parts(7, 2), "the summary must be 2 values, as in a tuple, got 7"),
        (lambda: answers.parts((1, 2, 3), 2, "the pair"), "the pair must be 2 values, got 3: (1, 2, 3)"),
        (lambda: answers.number("two", "u"), "u must be a number, got 'two'"),
        (lambda: answers.number(True), "must be a number, got True"),
        (lambda: answers.number(float("nan")), "must be a number, got nan"),
        (lambda: answers.number(torch.zeros(2)), "must be a number"),
        (lambda: answers.number(10**400), "must be a number, got 1000"),
        (lambda: answers.number(np.zeros(2)), "must be a number"),
        (lambda: answers.number(np.bool_(True)), "must be a number"),
        (lambda: answers.whole(2.5, "the lag"), "the lag must be a whole number, got 2.5"),
        (lambda: answers.tensor([10**400], 1), "a tensor of shape (1,), got [1000"),
        (lambda: answers.tensor("h", 2), "a tensor of shape (2,), got 'h'"),
        (lambda: answers.tensor(torch.zeros(2, 1), 2, what="h"), "h must be a tensor of shape (2,), got (2, 1)"),
        (lambda: answers.tensor([1.0, float("inf")], 2), "with finite numbers"),
    ],
)
def test_the_wrong_form_is_named(read, says):
    with pytest.raises(Wrong) as refused:
        read()
    assert says in str(refused.value)


def test_a_typical_mistake_is_recognised_by_its_value_and_shape():
    mistakes = {"doubled": torch.tensor([2.0, 4.0]), "summed": torch.tensor([3.0])}
    with pytest.raises(Wrong, match=r"^doubled$"):
        answers.recognise(torch.tensor([2.0, 4.0]), mistakes)
    answers.recognise(torch.tensor([1.0, 2.0]), mistakes)
    answers.recognise(torch.tensor([3.0, 3.0]), mistakes)
