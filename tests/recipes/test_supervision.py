import pytest

from attend.recipes import supervision
from attend.recipes.numbers import LONG
from attend.tasks import numbers


def test_what_was_measured_is_whole():
    found = supervision.load()["numbers, long"]["test"]
    assert len(found) == len(supervision.SEEDS)
    assert all(list(run["digits"]) == ["3", "4", "5", "6", "7", "8", "9"] for run in found)


def test_by_digits_is_the_share_of_right_numbers(monkeypatch):
    some = numbers.numbers("validation", 9, 1_000)[::3]
    monkeypatch.setattr(numbers, "numbers", lambda *_: some)
    model = LONG.load()
    shares = supervision.by_digits(LONG, model, "validation")
    long = tuple(n for n in some if len(str(n)) == 5)
    assert len(long) >= 20
    assert shares["5"] == pytest.approx(LONG.exact(model, numbers.encode(long)).double().mean().item())
