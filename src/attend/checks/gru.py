"""Exercises of the page on the gated unit."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.gating.gru import GRU

PUSH, PULL = torch.tensor([0.9, -0.4, 0.2]), torch.tensor([-1.2, 0.5, 1.5])
H = torch.tensor([-0.6, 0.3, 0.8])
Z, R = torch.tensor([0.9, 0.5, 0.2]), torch.tensor([0.25, 0.75, 0.5])


@exercise
def update(updated: Callable) -> str:
    """updated(z, r, push, pull, h) -> the new summary; push = W x + b and pull = U h of the candidate, vectors."""
    got, right = tensor(updated(Z, R, PUSH, PULL, H), 3, what="the new summary"), _new(Z, R)
    if torch.allclose(got, right, atol=1e-5):
        return "Three lines of numbers, and each decides for itself how much of it stays."
    candidate = torch.tanh(PUSH + R * PULL)
    recognise(
        got,
        {
            "z = 1 must copy the old summary; here it takes the candidate": _new(1 - Z, R),
            "r weighs what the old summary says, not what the input says": Z * H
            + (1 - Z) * torch.tanh(R * PUSH + PULL),
            "r weighs U h only; here it weighs the input's push too": Z * H + (1 - Z) * torch.tanh(R * (PUSH + PULL)),
            "r is missing: it weighs U h inside the candidate": Z * H + (1 - Z) * torch.tanh(PUSH + PULL),
            "the candidate is squashed after the sum: tanh(push + r * pull)": Z * H + (1 - Z) * (PUSH + R * PULL),
            "r acts inside the squash, on the pull": Z * H + (1 - Z) * (torch.tanh(PUSH) + R * torch.tanh(PULL)),
            "the two shares must add up to 1: the candidate is weighed by 1 - z": Z * H + candidate,
            "r weighs the old summary in the candidate; what is kept is weighed by z alone": Z * R * H
            + (1 - Z) * candidate,
            "the old summary must enter: z * h is missing": (1 - Z) * candidate,
            "this is the candidate; the new summary lies between it and the old one": candidate,
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def bias(bias_for: Callable) -> str:
    """bias_for(steps) -> the bias b with σ(b) ** steps = 1/2."""
    for steps in (3, 10, 1_000):
        got = number(bias_for(steps), "a bias")
        keep = 0.5 ** (1 / steps)
        right, scale = math.log(keep / (1 - keep)), steps / math.log(2)
        if math.isclose(got, right, abs_tol=1e-6):
            continue
        mistakes = {
            "this is the gate's value z; the bias is what σ turns into it": keep,
            "this opens the gate: σ of it is 1 - z. Which sign keeps?": -right,
            "this is the logarithm of z; σ is undone by log(z / (1 - z))": math.log(keep),
            "with this bias the time scale is steps: 1/e is left, and not one half": math.log(steps - 1),
            "close for long times; but z is exactly the root of one half, not 1 - log 2 / steps": math.log(scale - 1),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, abs_tol=1e-6):
                raise Wrong(says)
        value = 1 / (1 + math.exp(-max(min(got, 700.0), -700.0)))
        raise Wrong(
            f"for {steps} steps the gate must stand at {keep:.4f}; with the bias {got:.3f} it is at {value:.4f}"
        )
    return "Each further unit of bias makes the time about e times as long: 2.6 for 10 steps, 7.3 for 1,000."


@exercise
def sluice(w_z: object, b_z: object, w_h: object, b_h: object) -> str:
    """A unit of one number that takes a bit where its mark is 1, and keeps it where the mark is 0."""
    unit = GRU(2, 1).requires_grad_(False)
    unit.from_hidden.weight.zero_()
    unit.from_input.weight[0], unit.from_input.bias[0] = 0, 0
    unit.from_input.weight[1], unit.from_input.bias[1] = _pair(w_z, "w_z"), number(b_z, "b_z")
    unit.from_input.weight[2], unit.from_input.bias[2] = _pair(w_h, "w_h"), number(b_h, "b_h")
    draw = torch.Generator().manual_seed(5)
    for bits in ((1.0, -1.0, -1.0, 1.0), (-1.0, 1.0, 1.0, -1.0)):
        x = torch.stack((2.0 * torch.randint(2, (404,), generator=draw) - 1, torch.zeros(404)), dim=1)
        x[::101] = torch.tensor([[bit, 1.0] for bit in bits])
        kept = unit(x[None])[0][0, :, 0]
        for k, bit in enumerate(bits):
            _held(kept[101 * k : 101 * (k + 1)] * bit)
    return (
        "Only marked bits come in, and each stays for 100 steps, whatever passes by. That is half of the adding task."
    )


def _held(run: Tensor) -> None:
    """Refuse a run of 101 steps, signed so that the marked bit is 1, in which the bit is not taken or not kept."""
    taken = run[0].item()
    if taken < -0.5:
        raise Wrong("a marked bit comes in with the wrong sign: is the candidate's weight of the bit positive?")
    if taken < 0.5:
        raise Wrong(
            f"after a marked bit of 1 the summary is {taken:.2f}: at a mark the gate must open (z near 0), "
            "and the candidate must be near the bit"
        )
    if (run - taken).abs().max() > 0.1:
        raise Wrong(
            f"100 steps after a marked bit of 1 the summary is {run[-1]:.2f}: without a mark the gate must be "
            "shut, so tightly that 100 unmarked bits change little (1 - z below a thousandth)"
        )


def _new(z: Tensor, r: Tensor) -> Tensor:
    return z * H + (1 - z) * torch.tanh(PUSH + r * PULL)


def _pair(answer: object, what: str) -> Tensor:
    if isinstance(answer, int | float):
        raise Wrong(f"{what} must be two weights, of the bit and of the mark, got {answer!r}")
    return torch.tensor([number(value, what) for value in parts(answer, 2, what)])


def _spell(vector: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
