"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch

from attend.checks import directions


def ok_turned(x, lengths):
    rows = [torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(x, lengths, strict=True)]
    return torch.stack(rows)


def ok_kept(x, h, cells, W, U, b):
    forget = torch.sigmoid(W @ x + h @ U.T + b)
    return (forget * cells).sum(0)


def gate(x, h, W, U, b):
    return torch.sigmoid(W @ x + h @ U.T + b)


def rolled(x, lengths):
    """The padding comes first, and the real steps after it are turned."""
    return torch.stack([torch.cat([row[:n].flip(0), row[n:].flip(0)]) for row, n in zip(x, lengths, strict=True)])


@pytest.mark.parametrize(("check", "answer"), [(directions.turned, ok_turned), (directions.kept, ok_kept)])
def test_solution_and_stub(check, answer):
    assert check(answer).state == "right"
    assert check(lambda *_: ...).state == "not yet"
    assert check(lambda *_: None).state == "not yet"
    assert check(...).state == "not yet"


def in_place(x, h, cells, W, U, b):
    h.copy_(h @ U.T + W @ x + b).sigmoid_()
    return cells.mul_(h).sum(0)


@pytest.mark.parametrize(
    "answer", [in_place, lambda *given: ok_kept(*given).numpy(), lambda *given: ok_kept(*given).double()]
)
def test_right_in_place_or_in_another_kind_of_numbers(answer):
    assert directions.kept(answer).state == "right"


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (directions.turned, lambda x, n: x.flip(1), "whole rows"),
        (directions.turned, lambda x, n: x, "nothing was turned"),
        (directions.turned, lambda x, n: x.flip(0), "rows of the batch"),
        (directions.turned, lambda x, n: x.flip(2), "numbers within a step"),
        (
            directions.turned,
            lambda x, n: ok_turned(x, n) * (torch.arange(4) < n[:, None])[..., None],
            "not become zero",
        ),
        (directions.turned, rolled, "padding changed too"),
        (directions.turned, lambda x, n: x + 1, "8, 10, 12, 14 must become 10, 8, 12, 14, got 9, 11, 13, 15"),
        (directions.turned, lambda x, n: x[:2], "got (2, 4, 2)"),
        (directions.turned, lambda x, n: x @ x, "stopped with RuntimeError"),
        (
            directions.kept,
            lambda x, h, c, W, U, b: torch.sigmoid(W @ x + U @ h.sum(0) + b) * c.sum(0),
            "one gate for all",
        ),
        (directions.kept, lambda x, h, c, W, U, b: (gate(x, h, W, U, b) * c).mean(0), "not averaged"),
        (directions.kept, lambda x, h, c, W, U, b: gate(x, h, W, U, b).sum(0) * c.sum(0), "multiply before you add"),
        (directions.kept, lambda x, h, c, W, U, b: gate(x, h, W, U, b).mean(0) * c.sum(0), "keeps all children alike"),
        (directions.kept, lambda x, h, c, W, U, b: ((W @ x + h @ U.T + b) * c).sum(0), "σ is missing"),
        (directions.kept, lambda x, h, c, W, U, b: (torch.sigmoid(h @ U.T + b) * c).sum(0), "W x is missing"),
        (directions.kept, lambda x, h, c, W, U, b: (torch.sigmoid(W @ x + b) * c).sum(0), "U h is missing"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U, b * 0), "bias b is missing"),
        (directions.kept, lambda x, h, c, W, U, b: ((W @ x + h @ U.T + b).tanh() * c).sum(0), "not tanh"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, h, W, U, b), "not its summary"),
        (directions.kept, lambda x, h, c, W, U, b: (gate(x, h, W, U.T, b) * c).sum(0), "turns the matrix around"),
        (directions.kept, lambda x, h, c, W, U, b: c[0], "the sum over the children"),
        (directions.kept, lambda x, h, c, W, U, b: c, "got (3, 4)"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U, b) if len(h) > 1 else c[0], "single child"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    outcome = check(answer)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says


def test_the_steps_of_a_plane_are_checked_by_its_own_file():
    assert directions.steps(...).state == "not yet"
