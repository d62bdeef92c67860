"""The exercises of the page on a sequence for a sequence: solutions pass, typical mistakes are named."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import seq2seq


def told(target, end):
    start = torch.full_like(target[:, :1], end)
    return torch.cat([start, target[:, :-1]], dim=1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda target, end: target, "reads the answer"),
        (lambda target, end: torch.cat([target[:, 1:], torch.full_like(target[:, :1], end)], 1), "to the right"),
        (lambda target, end: target.roll(1, 1), "not the last piece"),
        (lambda target, end: torch.cat([target[:, :1], target[:, :-1]], 1), "read twice"),
        (lambda target, end: torch.full_like(target, end), "only the first step"),
        (lambda target, end: told(target, 0), "whatever its number"),
        (lambda target, end: told(target, end)[:, 1:], "shape (2, 5)"),
        (lambda target, end: told(target, end).flip(0), "expected [0, 3, 1, 4, 2]"),
    ],
)
def test_told(wrong, says):
    accepts(seq2seq.told, told)
    refuses(seq2seq.told, wrong, says=says)


def together(step, bridges, end, most, *, feed=True, keep=True, all_stop=False, mask=True, first=None):
    tokens, states = torch.full_like(bridges, end if first is None else first), bridges
    over, said = torch.zeros(len(bridges), dtype=torch.bool), []
    for _ in range(most):
        logits, after = step(tokens, states)
        best = logits.argmax(-1)
        over = over | (best == end)
        if all_stop:
            over = over.any().expand_as(over)
        said.append(torch.where(over, end, best) if mask else best)
        tokens, states = (best if feed else tokens), (after if keep else states)
    return torch.stack(said, dim=1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"feed": False}, "written last"),
        ({"keep": False}, "go on from the states"),
        ({"mask": False}, "here it goes on"),
        ({"all_stop": True}, "an end of its own"),
        ({"first": 5}, "the first step reads `end`"),
    ],
)
def test_together(options, says):
    accepts(seq2seq.together, together)
    refuses(seq2seq.together, lambda *given: together(*given, **options), says=says)


def test_together_may_stop_when_all_rows_are_over():
    def early(step, bridges, end, most):
        tokens, states, said = torch.full_like(bridges, end), bridges, torch.full((len(bridges), most), end)
        over = torch.zeros(len(bridges), dtype=torch.bool)
        for t in range(most):
            logits, states = step(tokens, states)
            tokens = torch.where(over, end, logits.argmax(-1))
            said[:, t], over = tokens, over | (tokens == end)
            if over.all():
                break
        return said

    accepts(seq2seq.together, early)


def test_together_refuses_other_shapes():
    refuses(seq2seq.together, lambda *given: together(*given)[:, :-1], says="shape (4, 12)")
    refuses(seq2seq.together, lambda *given: together(*given).flip(0), says="expected [")
    refuses(seq2seq.together, lambda step, b, end, most: step(end, b[0]), says="for each row")


def mixed(true, own, share, generator):
    coins = torch.rand(true.shape, generator=generator)
    return torch.where(coins < share, true, own)


def rows(true, own, share, generator):
    return torch.where(torch.rand(len(true), 1, generator=generator) < share, true, own)


def columns(true, own, share, generator):
    return torch.where(torch.rand(true.shape[1], generator=generator) < share, true, own)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda true, own, share, g: share * true + (1 - share) * own, "choose, do not average"),
        (rows, "whole rows"),
        (columns, "all rows share"),
        (lambda true, own, share, g: mixed(own, true, share, g), "turned round"),
        (lambda true, own, share, g: true, "with share 0"),
        (lambda true, own, share, g: mixed(true, own, share, torch.Generator().manual_seed(5)), "from the generator"),
        (lambda true, own, share, g: mixed(true, own, share, g)[:5], "shape (200, 200)"),
    ],
)
def test_mixed(wrong, says):
    accepts(seq2seq.mixed, mixed)
    refuses(seq2seq.mixed, wrong, says=says)
