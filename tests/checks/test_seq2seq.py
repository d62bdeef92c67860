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


def whole(logits, target, end):
    log_p = logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]
    return -log_p.masked_fill((target == end).cumsum(1) > 1, 0).sum(1)


def pieces(logits, target):
    return -logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda logits, target, end: pieces(logits, target).sum(1), "no part of the answer"),
        (lambda logits, target, end: (pieces(logits, target) * (target != end)).sum(1), "is a piece of the answer"),
        (lambda logits, target, end: whole(logits, target, end) / ((target == end).cumsum(1) < 2).sum(1), "their mean"),
        (lambda *given: -whole(*given), "the sign is turned"),
        (lambda *given: (-whole(*given)).exp(), "the probability of the answer"),
        (
            lambda logits, target, end: (
                -logits.gather(-1, target[..., None])[..., 0].masked_fill((target == end).cumsum(1) > 1, 0).sum(1)
            ),
            "lack the softmax",
        ),
        (lambda logits, target, end: whole(logits, target, 0), "no part of the answer"),
        (lambda *given: whole(*given) + 1, "expected"),
        (lambda *given: whole(*given).sum(), "shape (4,)"),
    ],
)
def test_whole(wrong, says):
    accepts(seq2seq.whole, whole)
    refuses(seq2seq.whole, wrong, says=says)


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
