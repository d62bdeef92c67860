"""What every exercise shares, and how checkers are found."""

import pytest

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


def test_a_value_may_be_the_answer():
    check = exercise(lambda value: "Yes." if value == 7 else (_ for _ in ()).throw(Wrong("it is seven")))
    assert check(7).state == "right"
    assert check(8).state == "wrong"
    assert check(...).state == "not yet"


def test_a_fault_of_the_checker_is_not_blamed_on_the_reader():
    with pytest.raises(ZeroDivisionError):
        exercise(lambda answer: 1 / 0)(lambda: 1)


def test_checkers_are_found_by_the_page():
    assert checks.coin.stream.__name__ == "stream"
    with pytest.raises(AttributeError, match="page: got 'nowhere'"):
        _ = checks.nowhere
