import pytest

from attend.checks import grid


def right(rows, columns):
    return [[(r, d - r) for r in range(rows) if 0 <= d - r < columns] for d in range(rows + columns - 1)]


def every(rows, columns):
    return [(r, c) for r in range(rows) for c in range(columns)]


def test_steps():
    assert grid.steps(right).state == "right"
    for nothing in (..., None, lambda *_: ..., lambda *_: None):
        assert grid.steps(nothing).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda Y, X: [[(r, c) for c in range(X)] for r in range(Y)], "shares step 1 with the pixel to the left"),
        (lambda Y, X: [[(r, c) for r in range(Y)] for c in range(X)], "shares step 1 with the pixel above"),
        (lambda Y, X: [[pixel] for pixel in every(Y, X)], "4 steps, and 3 are enough"),
        (lambda Y, X: right(Y, X)[::-1], "before the pixel to the left"),
        (lambda Y, X: [[(r, c) for r, c in every(Y, X) if r - c == d] for d in range(1 - X, Y)], "before"),
        (lambda Y, X: right(Y, X)[:-1], "pixel (1, 1) never has its turn"),
        (lambda Y, X: right(X, Y), "outside of the image"),
        (lambda Y, X: [[(r, d - r) for r in range(Y)] for d in range(Y + X - 1)], "outside of the image"),
        (lambda Y, X: [*right(Y, X), [(0, 0)]], "twice"),
        (lambda Y, X: [*right(Y, X), []], "without a pixel"),
        (lambda Y, X: right(Y, X) and 3, "expected a list of steps"),
        (lambda Y, X: every(Y, X), "a pixel must be 2 values"),
        (lambda Y, X: 1 / 0, "stopped with ZeroDivisionError"),
    ],
)
def test_steps_wrong(answer, says):
    outcome = grid.steps(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says, outcome
