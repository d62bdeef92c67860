"""Exercises of the page on the cell with three gates."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.gating.lstm import LSTM

C, G = torch.tensor([1.5, -0.4, 0.7]), torch.tensor([0.6, -0.9, 0.3])
I, F, O = torch.tensor([0.2, 0.9, 0.5]), torch.tensor([0.95, 0.4, 0.7]), torch.tensor([0.3, 0.8, 0.6])

STEPS, ARRIVES = 40, 3
"""The pulse of the third exercise arrives at step 3 of 40."""


@exercise
def step(stepped: Callable) -> str:
    """stepped(i, f, g, o, c) -> the new cell and what is shown of it; all are vectors."""
    cell, shown = parts(stepped(I, F, G, O, C), 2, "the new cell and the shown summary")
    right = F * C + I * G
    got = tensor(cell, 3, what="the new cell")
    if not torch.allclose(got, right, atol=1e-5):
        recognise(
            got,
            {
                "cell and summary are exchanged: the cell comes first": O * torch.tanh(right),
                "i and f are exchanged: f weighs the old cell, i the update": I * C + F * G,
                "the old cell is missing: f * c": I * G,
                "the update is missing: i * g": F * C,
                "nothing ties i to 1 - f: that is a GRU's way": F * C + (1 - F) * G,
                "the cell itself is not squashed; only what is shown of it is": torch.tanh(right),
                "g is squashed already": F * C + I * torch.tanh(G),
            },
        )
        raise Wrong(f"the new cell is {_spell(got)}, expected {_spell(right)}")
    got = tensor(shown, 3, what="the shown summary")
    if not torch.allclose(got, O * torch.tanh(right), atol=1e-5):
        recognise(
            got,
            {
                "the cell must be squashed before it is shown: it can grow without bound": O * right,
                "the gate acts after the squash: o * tanh(c)": torch.tanh(O * right),
                "what is shown is the new cell, not the old one": O * torch.tanh(C),
                "the output gate is missing": torch.tanh(right),
            },
        )
        raise Wrong(f"the shown summary is {_spell(got)}, expected {_spell(O * torch.tanh(right))}")
    return "Add, then show: the old cell meets no matrix and no squash on its way to the new one."


@exercise
def width(widest: Callable) -> str:
    """widest(weights, D) -> the largest H for which an LSTM of input width D has at most so many weights."""
    for weights, D in ((10_000, 10), (3_393, 2), (1_000_000, 128)):
        got = whole(widest(weights, D), "the width")
        right = _width(weights, lambda H, D=D: 4 * H * (D + H + 1))
        if got == right:
            continue
        mistakes = {
            "the biases count too: each of the four parts has H of them": lambda H, D=D: 4 * H * (D + H),
            "there are four parts: three gates, and the update": lambda H, D=D: 3 * H * (D + H + 1),
            "this is the width of a plain unit; an LSTM has four such parts": lambda H, D=D: H * (D + H + 1),
            "the summary comes back in: U has H weights for each number of each part": lambda H, D=D: 4 * H * (D + 1),
            "the input's weights W are missing": lambda H, D=D: 4 * H * (H + 1),
        }
        for says, count in mistakes.items():
            if got == _width(weights, count):
                raise Wrong(says)
        has = sum(p.numel() for p in LSTM(D, got).parameters()) if 0 < got < 2_000 else None
        told = "" if has is None else f"; with H = {got} there are {has:,} weights"
        raise Wrong(f"for {weights:,} weights and D = {D} the width is {right}{told}")
    return "For the same number of weights an LSTM is about half as wide as a plain unit."


@exercise
def carry(schedule: Callable) -> str:
    """schedule(t) -> (i, f, o) at step t of 40: keep the pulse of step 3 to the end, hidden until then."""
    draw = torch.Generator().manual_seed(3)
    inputs = (2 * torch.rand(STEPS, generator=draw) - 1).tolist()
    c, cells, shown, pulse = 0.0, [], [], math.tanh(1.5)
    for t in range(1, STEPS + 1):
        i, f, o = (
            number(+gate if isinstance(gate, bool) else gate, "a gate")
            for gate in parts(schedule(t), 3, f"the gates at step {t}")
        )
        if not all(0 <= gate <= 1 for gate in (i, f, o)):
            raise Wrong(f"at step {t} the gates are {(i, f, o)}; a gate is between 0 and 1")
        c = f * c + i * math.tanh(1.5 if t == ARRIVES else inputs[t - 1])
        cells.append(c)
        shown.append(o * math.tanh(c))
    if abs(cells[ARRIVES - 1]) < 0.5 * pulse:
        raise Wrong(f"after step {ARRIVES} the cell is {cells[ARRIVES - 1]:.2f}: the input gate must let the pulse in")
    if abs(cells[ARRIVES - 1] - pulse) > 0.02:
        raise Wrong(
            f"after step {ARRIVES} the cell is {cells[ARRIVES - 1]:.2f} and the pulse {pulse:.2f}: "
            "write the whole of it, and nothing that came before it"
        )
    if abs(cells[-1]) < 0.05:
        raise Wrong(f"at step {STEPS} nothing is left of the pulse: the forget gate multiplies at every step")
    if abs(cells[-1] - pulse) > 0.02:
        raise Wrong(
            f"at step {STEPS} the cell is {cells[-1]:.2f}, not {pulse:.2f}: keep all of it, and write nothing else"
        )
    early = next((t for t, h in enumerate(shown[:-1], 1) if abs(h) > 0.02), None)
    if early is not None:
        raise Wrong(f"step {early} shows {shown[early - 1]:.2f}: nothing may be shown before step {STEPS}")
    if abs(shown[-1]) < 0.6:
        raise Wrong(f"step {STEPS} shows {shown[-1]:.2f}: open the output gate at the end")
    return "Written once, kept for 37 steps, shown once: three decisions, made apart."


def _width(weights: int, count: Callable[[int], int]) -> int:
    """The largest width whose number of weights is allowed; `count` grows with the width."""
    low, high = 0, weights + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) <= weights else (low, middle)
    return low


def _spell(vector: torch.Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
