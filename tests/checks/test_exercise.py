"""What every exercise shares, and how checkers are found."""

from collections.abc import Callable

import pytest
import torch

from attend import checks
from attend.checks.exercise import Wrong, exercise


@exercise
def square(answer):
    if answer(3) != 9:
        raise Wrong("three times three is nine")
    return "That is a square."


def test_the_three_states():
    assert repr(square(lambda x: x * x)) == "Right. That is a square."
    assert repr(square(lambda x: x + x)) == "Not right: three times three is nine"
    assert repr(square(None)).startswith("Not yet")


def test_another_number_of_answers_is_told_and_breaks_nothing():
    assert repr(square()) == "Not right: the checker takes 1 answer, as its cell does, got 0"
    assert square(1, 2).state == "wrong"


def test_the_readers_random_numbers_go_on():
    @exercise
    def greedy(answer):
        torch.manual_seed(0)
        return f"{answer} {torch.rand(3)}"

    torch.manual_seed(7)
    wanted = torch.rand(2)
    torch.manual_seed(7)
    greedy(1)
    assert torch.equal(torch.rand(2), wanted)


def test_a_value_may_be_the_answer():
    check = exercise(lambda value: "Yes." if value == 7 else (_ for _ in ()).throw(Wrong("it is seven")))
    assert check(7).state == "right"
    assert check(8).state == "wrong"
    assert check(...).state == "not yet"


def without_return(x):
    _ = x * x


def without_a_line(x):
    """Says what it will do."""


def test_a_forgotten_return_is_no_stub():
    assert square(without_return).says == (
        "Not right: your function came to its end and gave nothing back: it needs a `return`"
    )
    assert square(without_a_line).state == "not yet"
    assert square(lambda x: None).state == "not yet"


def test_a_value_in_the_place_of_a_function_is_named():
    assert called(9).says == "Not right: the answer must be a function, got 9"
    assert called(...).state == "not yet"


@exercise
def called(double: Callable) -> str:
    x = torch.ones(2)
    if not torch.equal(double(x), 2 * x):
        raise Wrong("this is not twice as much")
    return "Twice as much."


def test_a_function_may_work_in_place():
    assert called(lambda x: x.mul_(2)).state == "right"
    assert called(lambda x: x.mul_(3)).state == "wrong"


def test_a_fault_of_the_checker_is_not_blamed_on_the_reader():
    with pytest.raises(ZeroDivisionError):
        exercise(lambda answer: 1 / 0)(lambda: 1)


def test_checkers_are_found_by_the_page():
    assert checks.coin.merge.__name__ == "merge"
    with pytest.raises(AttributeError, match="page: got 'nowhere'"):
        _ = checks.nowhere
