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


def free(step, bridge, end, most, *, feed=True, keep=True, stop=True, show_end=False, first=None, more=0):
    token, state, said = end if first is None else first, bridge, []
    while len(said) < most + more:
        logits, after = step(token, state)
        best = int(logits.argmax())
        if best == end and stop:
            return [*said, end] if show_end else said
        said.append(best)
        token, state = (best if feed else end), (after if keep else state)
    return said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"feed": False}, "written last"),
        ({"keep": False}, "go on from the state"),
        ({"stop": False}, "the answer is over"),
        ({"show_end": True}, "no part of it"),
        ({"first": 5}, "the first step reads `end`"),
        ({"more": 1}, "at most 5 tokens, got 6"),
    ],
)
def test_free(options, says):
    accepts(seq2seq.free, free)
    refuses(seq2seq.free, lambda *given: free(*given, **options), says=says)


def test_free_refuses_what_is_no_list():
    refuses(seq2seq.free, lambda *given: "ein", says="must be a list")
    refuses(seq2seq.free, lambda *given: free(*given)[::-1] or [1], says="expected")


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
