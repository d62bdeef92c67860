"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn.functional import ctc_loss, pad

from attend.checks import ctc as checks


def forward(probs, target, skip=lambda rows, n: rows[n] not in (0, rows[n - 2]), last=True, give=lambda p: p):
    rows = [0, *(token for label in target.tolist() for token in (label, 0))]
    alpha = [1.0] + [0.0] * (len(rows) - 1)
    for t, frame in enumerate(probs.tolist()):
        alpha = [
            (alpha[n] + (alpha[n - 1] if n else 0) + (alpha[n - 2] if t and n > 1 and skip(rows, n) else 0))
            * frame[rows[n]]
            for n in range(len(rows))
        ]
    return give(alpha[-1] * last + alpha[-2])


def loss(log_probs, lengths, target, sizes, never=-1e30, sign=-1, wait=True):
    B, T, _ = log_probs.shape
    rows = torch.zeros(B, 2 * target.shape[1] + 1, dtype=torch.long)
    rows[:, 1::2] = target
    other = (rows != 0) & (rows != rows.roll(2, dims=1))
    emit = log_probs.gather(2, rows[:, None].expand(-1, T, -1))
    alpha = torch.where(torch.arange(rows.shape[1]) < 2, emit[:, 0], never)
    for t in range(1, T):
        step, jump = pad(alpha[:, :-1], (1, 0), value=never), pad(alpha[:, :-2], (2, 0), value=never)
        new = torch.stack([alpha, step, jump.masked_fill(~other, never)]).logsumexp(0) + emit[:, t]
        alpha = torch.where((t < lengths)[:, None], new, alpha) if wait else new
    return sign * alpha.gather(1, torch.stack([2 * sizes, 2 * sizes - 1], 1)).logsumexp(1)


def test_solutions_and_stubs():
    accepts(checks.forward, forward)
    assert checks.paths(("337", 6, 5)).state == "right"
    assert checks.paths((..., ..., ...)).state == "not yet"
    assert checks.paths(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.paths((337, torch.tensor(6), 5.0)).state == "right"
    assert checks.paths(["3 3 7", 6, 5]).state == "right"
    by_torch = lambda probs, target: (  # noqa: E731
        ctc_loss(
            probs.log()[:, None], target[None], torch.tensor([len(probs)]), torch.tensor([len(target)]), reduction="sum"
        )
        .neg()
        .exp()
    )
    assert checks.forward(by_torch).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (("37", 6, 5), "before repeats"),
        (("3337", 6, 5), "one 3"),
        (("33", 6, 5), "first"),
        (("337", 4, 5), "must be a blank"),
        (("337", 9, 5), "left out"),
        (("337", 6, 4), "fourth frame"),
        (("337", 6), "3 values"),
    ],
)
def test_wrong_paths_are_named(answer, says):
    refuses(checks.paths, answer, says=says)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"skip": lambda rows, n: rows[n] != 0}, "equal digits"),
        ({"skip": lambda rows, n: False}, "no blank was ever skipped"),
        ({"skip": lambda rows, n: rows[n] == 0 or rows[n] != rows[n - 2]}, "only blanks"),
        ({"last": False}, "last blank"),
        ({"give": lambda p: -math.log(p) if p else 9.0}, "-ln of it"),
        ({"give": lambda p: p + 0.1}, "sum over all paths"),
    ],
)
def test_wrong_sums_are_named(changed, says):
    refuses(checks.forward, lambda probs, target: forward(probs, target, **changed), says=says)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"sign": 1}, "is -ln p"),
        ({"wait": False}, "padding"),
        ({"never": -torch.inf}, "not finite"),
    ],
)
def test_wrong_losses_are_named(changed, says):
    refuses(checks.build, lambda: lambda *given: loss(*given, **changed), says=says)


def test_a_loss_that_stops_the_gradient_is_named():
    refuses(checks.build, lambda: lambda *given: loss(*given).detach(), says="no gradient")
    refuses(checks.build, lambda: lambda *given: loss(*given).detach().numpy(), says="no gradient")
    refuses(checks.build, lambda: lambda *given: 2 * loss(*given), says="not those of torch")
    refuses(checks.build, lambda: 7, says="must be a module")


@pytest.mark.nightly
def test_a_right_loss_hears_new_speakers():
    assert checks.build(lambda: loss).state == "right"
