"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gradients


def right_clip(gradients, threshold):
    norm = float(sum((g**2).sum() for g in gradients) ** 0.5)
    scale = threshold / norm if norm > threshold else 1.0
    return [g * scale for g in gradients]


def right_leaky(W, U, b, a, x, loss_grad, **wrong):
    return gradients._backward(W, U, b, a, x, loss_grad, **wrong)


def turned(*given):
    dW, dU, db = right_leaky(*given)
    return dW, dU.T, db


def by_autograd(W, U, b, a, x, loss_grad):
    weights = [one.double().requires_grad_() for one in (W, U, b)]
    h, loss = torch.zeros(len(x), len(b)).double(), 0
    for t in range(x.shape[1]):
        h = (1 - a) * h + a * torch.tanh(x[:, t].double() @ weights[0].T + h @ weights[1].T + weights[2])
        loss = loss + (h * loss_grad[:, t]).sum()
    return tuple(g.numpy() for g in torch.autograd.grad(loss, weights))


def test_solutions_and_stubs():
    accepts(gradients.reach, lambda t, window: (t - 1) % window)
    accepts(gradients.clip, right_clip)
    accepts(gradients.leaky, right_leaky)


def test_other_right_answers_are_right():
    assert gradients.reach(lambda t, window: torch.tensor(float((t - 1) % window))).state == "right"
    assert gradients.reach(lambda t, window: np.int64((t - 1) % window)).state == "right"
    assert gradients.clip(lambda g, c: tuple(one.double().numpy() for one in right_clip(g, c))).state == "right"
    assert gradients.leaky(by_autograd).state == "right"


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (gradients.reach, lambda t, w: t % w, "not with step 0"),
        (gradients.reach, lambda t, w: (t - 1) % w + 1, "go *back*"),
        (gradients.reach, lambda t, w: w - 1, "the most"),
        (gradients.reach, lambda t, w: min(t - 1, w - 1), "slide"),
        (gradients.reach, lambda t, w: t, "chunk that begins at step 6"),
        (gradients.clip, lambda g, c: [v * c / torch.cat([u.flatten() for u in g]).norm() for v in g], "never"),
        (gradients.clip, lambda g, c: [v * min(1.0, c / v.norm().item()) for v in g], "each tensor was clipped alone"),
        (gradients.clip, lambda g, c: [v.clamp(-c, c) for v in g], "clamping"),
        (gradients.clip, lambda g, c: g, "must become shorter"),
        (gradients.clip, lambda g, c: g[0], "a list of"),
        *(
            (gradients.leaky, lambda *given, wrong=wrong: right_leaky(*given, **wrong), says)
            for wrong, says in [
                ({"later": False}, "later steps"),
                ({"leak": False}, "handed on as it is"),
                ({"through": False}, "through U"),
                ({"scale": False}, "factor a"),
                ({"slope": False}, "derivative of tanh is missing"),
                ({"at": "h"}, "no longer the output"),
                ({"before": False}, "before the step"),
                ({"turn": True}, "not da @ U.T"),
                ({"total": False}, "add up all steps"),
            ]
        ),
        (gradients.leaky, lambda W, U, b, a, x, g: [p / len(x) for p in right_leaky(W, U, b, a, x, g)], "mean over"),
        (gradients.leaky, lambda *given: [-one for one in right_leaky(*given)], "sign"),
        (gradients.leaky, turned, "on its side"),
        (gradients.leaky, lambda W, U, b, a, x, g: [W, U, b], "small change"),
        (gradients.leaky, lambda *_: [1, 2], "3 values"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
