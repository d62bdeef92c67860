"""Exercises of the page on backpropagation through time."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import close, floats, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise


@exercise
def reach(steps_back: Callable) -> str:
    """steps_back(t, window) -> over how many steps the loss at step t (from 1) passes gradient back, cut by window."""
    draw = torch.Generator().manual_seed(3)
    cases = [(7, 5), (5, 5), (6, 5), (1, 3), (12, 1)]
    cases += [(int(t), int(w)) for t, w in torch.randint(2, 60, (6, 2), generator=draw)]
    got = [whole(steps_back(t, window), "a number of steps") for t, window in cases]
    wanted = [(t - 1) % window for t, window in cases]
    if got == wanted:
        return "On average a loss reaches (window - 1) / 2 steps back, and the first of every chunk reaches nowhere."
    mistakes = {
        "close, but the chunk begins with step 1, not with step 0: the first step of a chunk has none before it": [
            t % window for t, window in cases
        ],
        "that counts the step itself; over how many steps does it go *back*?": [
            (t - 1) % window + 1 for t, window in cases
        ],
        "that is the most that any step of a chunk has; it depends on where t stands in its chunk": [
            window - 1 for _, window in cases
        ],
        "a window does not slide along with t here: the cuts are fixed, after every chunk": [
            min(t - 1, window - 1) for t, window in cases
        ],
        "a window does not slide along with t here: the cuts are fixed, after every chunk of that length": [
            min(t, window) for t, window in cases
        ],
        "that is how many steps of the chunk are still to come": [-t % window for t, window in cases],
    }
    for says, mistaken in mistakes.items():
        if got == mistaken:
            raise Wrong(says)
    at = next(i for i in range(len(cases)) if got[i] != wanted[i])
    t, window = cases[at]
    raise Wrong(
        f"with chunks of {window}, step {t} belongs to the chunk that begins at step {t - wanted[at]}; "
        f"yours would have the gradient stop at step {t - got[at]}"
    )


@exercise
def clip(clipped: Callable) -> str:
    """clipped(gradients, threshold) -> gradients: a list of tensors whose joint norm is at most the threshold."""
    for seed, threshold in ((0, 0.7), (1, 3.0)):
        draw = torch.Generator().manual_seed(seed)
        gradients = [torch.randn(*shape, generator=draw) for shape in ((3, 5), (7,), (2, 3, 4))]
        norm = torch.cat([g.flatten() for g in gradients]).norm().item()
        short = [g * (0.6 * threshold / norm) for g in gradients]
        if not _same(_tensors(clipped([g.clone() for g in short], threshold), short), short):
            raise Wrong("a gradient that is short enough must stay as it is; clipping never makes one longer")
        got = _tensors(clipped([g.clone() for g in gradients], threshold), gradients)
        if _same(got, [g * (threshold / norm) for g in gradients]):
            continue
        mistakes = {
            "each tensor was clipped alone, and that turns the step; take one norm over all of them": [
                g * min(1.0, threshold / g.norm().item()) for g in gradients
            ],
            "clamping single numbers turns the step; all of them must shrink by one factor": [
                g.clamp(-threshold, threshold) for g in gradients
            ],
            "the norms of the tensors were added up; their squares add up, and the root comes last": [
                g * (threshold / sum(g.norm().item() for g in gradients)) for g in gradients
            ],
            "divided by the squared norm: the root is missing": [g * (threshold / norm**2) for g in gradients],
            "scaled to a norm of 1, whatever the threshold": [g / norm for g in gradients],
            "these gradients are longer than the threshold and must become shorter": gradients,
            "the largest single number is no norm: the joint norm is still above the threshold": [
                g * (threshold / max(one.abs().max().item() for one in gradients)) for g in gradients
            ],
        }
        for says, mistaken in mistakes.items():
            if _same(got, mistaken):
                raise Wrong(says)
        total = torch.cat([g.flatten() for g in got]).norm().item()
        if abs(total - threshold) > 1e-3 * threshold:
            raise Wrong(f"the joint norm is {total:.3g} after clipping, and the threshold is {threshold:g}")
        raise Wrong("the joint norm is right, but the direction is not: one factor for all of them")
    return "One factor for all of them: the step is shorter and points where it did."


@exercise
def leaky(backward: Callable) -> str:
    """backward(W, U, b, alpha, x, loss_grad) -> dW, dU, db, for h = (1 - alpha) h + alpha tanh(W x + U h + b).

    W (H, D), U (H, H), b (H), a number alpha, x (B, T, D), and what each step's loss says about its state (B, T, H).
    """
    for seed, (B, T, D, H), a in ((0, (3, 4, 2, 5), 0.3), (1, (2, 7, 5, 3), 0.8)):
        draw = torch.Generator().manual_seed(seed)
        W, U, b, x, loss_grad = (torch.randn(*s, generator=draw) for s in ((H, D), (H, H), (H,), (B, T, D), (B, T, H)))
        W, U = W / D**0.5, U / H**0.5
        found = parts(backward(W, U, b, a, x, loss_grad), 3, "the answer")
        shapes = {"the gradient of W": W.shape, "the gradient of U": U.shape, "the gradient of b": b.shape}
        got = [tensor(one, *shape, what=what) for one, (what, shape) in zip(found, shapes.items(), strict=True)]
        right = _backward(W, U, b, a, x, loss_grad)
        for mine, theirs, what in zip(got, right, shapes, strict=True):
            if torch.allclose(mine, theirs, rtol=1e-3, atol=1e-3 * theirs.abs().max().item()):
                continue
            number = ["W", "U", "b"].index(what[-1])
            wrongs = {
                "only this step's own loss is counted, and nothing that comes back from later steps": {"later": False},
                "one way back is missing: part of a state is handed on as it is, (1 - alpha) of it": {"leak": False},
                "the way back through U and tanh is missing": {"through": False},
                "the factor alpha in front of tanh is missing": {"scale": False},
                "the derivative of tanh is missing": {"slope": False},
                "1 - h² is wrong here: h is no longer the output of tanh, so keep that one, too": {"at": "h"},
                "dU needs the state before the step, not the one after it": {"before": False},
                "with examples in rows the way back is da @ U, not da @ U.T": {"turn": True},
                "every step overwrites what the others gave (= for +=); add up all steps": {"total": False},
            }
            for says, wrong in wrongs.items():
                recognise(mine, {says: _backward(W, U, b, a, x, loss_grad, **wrong)[number]})
            if torch.allclose(mine * B, theirs, rtol=1e-3, atol=1e-4):
                raise Wrong(f"{what} is a mean over the batch; the loss is a sum, so add the examples up")
            recognise(mine, {f"the sign of {what} is turned round": -theirs})
            if what[-1] == "U":
                recognise(mine, {f"{what} lies on its side: a row belongs to the unit that hears, da.T @ h": theirs.T})
            raise Wrong(f"{what} is not what a small change of the weight does to the loss; try it with T = 1 first")
    return "Every path back is counted, the one around tanh included: that one has no matrix on it."


def _backward(
    W: Tensor,
    U: Tensor,
    b: Tensor,
    a: float,
    x: Tensor,
    loss_grad: Tensor,
    *,
    later: bool = True,
    leak: bool = True,
    through: bool = True,
    scale: bool = True,
    slope: bool = True,
    at: str = "tanh",
    before: bool = True,
    turn: bool = False,
    total: bool = True,
) -> list[Tensor]:
    """The gradients of W, U and b; every argument after the star leaves something out or puts it wrong."""
    h, bent = [x.new_zeros(len(x), len(b))], []
    for x_t in x.unbind(1):
        bent.append(torch.tanh(x_t @ W.T + h[-1] @ U.T + b))
        h.append((1 - a) * h[-1] + a * bent[-1])
    found = [torch.zeros_like(one) for one in (W, U, b)]
    carried = torch.zeros_like(h[0])
    for t in reversed(range(x.shape[1])):
        dh = loss_grad[:, t] + carried * later
        y = bent[t] if at == "tanh" else h[t + 1]
        da = dh * (a if scale else 1) * (1 - y**2 if slope else 1)
        added = (da.T @ x[:, t], da.T @ (h[t] if before else h[t + 1]), da.sum(0))
        found = [one + part for one, part in zip(found, added, strict=True)] if total else list(added)
        carried = (da @ (U.T if turn else U)) * through + (1 - a) * dh * leak
    return found


def _same(got: list[Tensor], other: list[Tensor]) -> bool:
    return all(close(a, b) for a, b in zip(got, other, strict=True))


def _tensors(value: object, like: list[Tensor]) -> list[Tensor]:
    wanted = f"the answer must be a list of {len(like)} tensors, shaped like the gradients that went in"
    if not isinstance(value, list | tuple) or len(value) != len(like):
        raise Wrong(wanted)
    got = [floats(v, wanted) for v in value]
    if any(v.shape != g.shape for v, g in zip(got, like, strict=True)):
        raise Wrong(wanted)
    if not all(bool(torch.isfinite(v).all()) for v in got):
        raise Wrong("some of these numbers are not finite")
    return got
