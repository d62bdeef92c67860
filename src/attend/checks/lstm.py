"""Exercises of the page on the LSTM."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class

STEPS, FIRST, SECOND, SHOWN = 40, 3, 30, (20, 40)
"""The second exercise: two items arrive, each is to be shown once."""


@exercise
def step(step: Callable) -> str:
    """step(i, f, g, o, c) -> the new hidden state and the new cell state; all have one shape."""
    for seed, shape in ((0, (3,)), (1, (2, 5))):
        generator = torch.Generator().manual_seed(seed)
        i, f, o = torch.rand(3, *shape, generator=generator).unbind(0)
        g, c = (2 * torch.rand(2, *shape, generator=generator) - 1).unbind(0)
        hidden, cell = parts(step(i, f, g, o, 2 * c), 2, "the answer")
        c = 2 * c
        right = f * c + i * g
        got = tensor(cell, *shape, what="the new cell state")
        if not torch.allclose(got, right, rtol=1e-3, atol=1e-5):
            recognise(
                got,
                {
                    "h and c are exchanged: the hidden state comes first, as in PyTorch": o * torch.tanh(right),
                    "input and forget gate are exchanged: f multiplies the old cell, i the candidate": i * c + f * g,
                    "the old cell is missing: f * c": i * g,
                    "the candidate is missing: i * g": f * c,
                    "nothing ties i to 1 - f: that is a GRU's way": f * c + (1 - f) * g,
                    "no tanh on the cell itself: squashed at every step, it would forget": torch.tanh(right),
                    "g has been through its tanh already": f * c + i * torch.tanh(g),
                },
            )
            raise Wrong("the new cell state is f * c + i * g, elementwise; yours is something else")
        got = tensor(hidden, *shape, what="the new hidden state")
        if not torch.allclose(got, o * torch.tanh(right), rtol=1e-3, atol=1e-5):
            recognise(
                got,
                {
                    "h is missing its tanh: the cell can grow without bound, what it shows must not": o * right,
                    "the gate acts after the tanh: o * tanh(c)": torch.tanh(o * right),
                    "h must show the new cell, not the old one": o * torch.tanh(c),
                    "the output gate is missing": torch.tanh(right),
                },
            )
            raise Wrong("the cell is right; h = o * tanh(c) is not")
    return "Add, then show: the old cell meets no matrix and no tanh on its way to the new one."


@exercise
def two_items(gates: Callable) -> str:
    """gates(t) -> (i, f, o) at step t of 40: show the candidate of step 3 at step 20, that of step 30 at step 40."""
    for seed in (1, 2):
        candidates = torch.rand(STEPS, generator=torch.Generator().manual_seed(seed)).mul(0.5).add(0.3)
        candidates[::3] *= -1
        g = candidates.tolist()
        c, cells, hidden = 0.0, [], []
        for t in range(1, STEPS + 1):
            i, f, o = (_gate(gate) for gate in parts(gates(t), 3, f"the gates at step {t}"))
            if not all(0 <= gate <= 1 for gate in (i, f, o)):
                raise Wrong(f"at step {t} the gates are {(i, f, o)}; a gate is between 0 and 1")
            c = f * c + i * g[t - 1]
            cells.append(c)
            hidden.append(o * math.tanh(c))
        one, two = g[FIRST - 1], g[SECOND - 1]
        loud = next((t for t, h in enumerate(hidden, 1) if abs(h) > 0.02 and t not in SHOWN), None)
        if loud is not None:
            raise Wrong(f"the hidden state speaks at step {loud}: keep the output gate shut but at steps 20 and 40")
        if abs(cells[19]) < 0.02:
            raise Wrong("at step 20 the cell is empty: write the candidate of step 3, and keep it")
        if abs(cells[19] - one) > 0.02:
            raise Wrong(
                f"at step 20 the cell holds {cells[19]:.2f}, and the first item is {one:.2f}: "
                "which gate let something in, or took something out?"
            )
        if abs(cells[39] - one - two) < 0.02:
            raise Wrong(
                "at step 40 the first item is still there: a new item is only added. Which gate clears the cell, "
                "and when?"
            )
        if abs(cells[39] - two) > 0.02:
            raise Wrong(f"at step 40 the cell holds {cells[39]:.2f}, and the second item is {two:.2f}")
        if any(abs(hidden[t - 1] - math.tanh(cells[t - 1])) > 0.02 for t in SHOWN):
            raise Wrong("the cell is right; now open the output gate at steps 20 and 40")
    return "Forgetting and writing can happen in the same step: the forget gate acts on the old cell alone."


def _gate(gate: object) -> float:
    gate = gate.item() if hasattr(gate, "item") and math.prod(gate.shape) == 1 else gate
    return number(float(gate) if isinstance(gate, bool) else gate, "a gate")


@exercise
def coupled(made: type) -> str:
    """A class derived from LSTM whose input gate is 1 - f, with blocks in the order f, g, o."""
    written_class(made, "gates", "step")
    D, H = 3, 5
    torch.manual_seed(0)
    with blame("your class"):
        layer = made(D, H)
        weights = sum(p.numel() for p in layer.parameters())
    one_block = H * (D + H + 1)
    if weights == 4 * one_block:
        raise Wrong("there are still four blocks of weights: the input gate needs none of its own, since i = 1 - f")
    if weights != 3 * one_block:
        raise Wrong(f"three blocks have {3 * one_block} weights with D = {D} and H = {H}, yours have {weights}")
    if not all(isinstance(getattr(layer, name, None), nn.Linear) for name in ("from_input", "from_hidden")):
        raise Wrong("keep the names of the listing, so that your weights can be found: from_input and from_hidden")
    x, h, c = torch.randn(2, D), torch.rand(2, H), torch.rand(2, H)
    with blame("your class"):
        first = layer.step(x, (h, c))
    if first is None or first is ...:
        raise Wrong("`step` gives nothing back: it needs a `return`")
    hidden, cell = parts(first, 2, "what `step` returns")
    f, g, o = (layer.from_input(x) + layer.from_hidden(h)).chunk(3, dim=-1)
    f, g, o = torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    right = f * c + (1 - f) * g
    got = tensor(_detached(cell), 2, H, what="the new cell state")
    if not torch.allclose(got, right, rtol=1e-3, atol=1e-5):
        recognise(
            got,
            {
                "coupled the wrong way round: f must multiply the old cell": ((1 - f) * c + f * g).detach(),
                "nothing ties the two yet: the candidate needs the factor 1 - f": (f * c + g).detach(),
                "h and c are exchanged: the hidden state comes first": (o * torch.tanh(right)).detach(),
            },
        )
        raise Wrong("the cell should be f * c + (1 - f) * g, with blocks in the order f, g, o")
    got = tensor(_detached(hidden), 2, H, what="the new hidden state")
    if not torch.allclose(got, o * torch.tanh(right), rtol=1e-3, atol=1e-5):
        raise Wrong("the cell is right; h = o * tanh(c) is not")
    return "Now give it the forget biases of chrono, and train it."


def _detached(value: object) -> object:
    return value.detach() if isinstance(value, Tensor) else value
