"""Exercises of the page on the counter that is learned."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.memory.elman import RNN

SIZES = ((4, 5, 3), (2, 7, 4), (11, 3, 2))
"""Input size, hidden size and number of layers."""


@exercise
def weights(weights: Callable) -> str:
    """weights(D, H, L) -> how many weights a stack of L GRU layers has, one bias vector a layer, no head."""
    for D, H, L in SIZES:
        got = whole(weights(D, H, L), "the number of weights")
        first, later = 3 * H * (D + H + 1), 3 * H * (H + H + 1)
        mistakes = {
            L * first: "from the second layer on the input is not x, but the H hidden states of the layer below",
            first + L * later: "there are L layers in all: the first one, and L - 1 that read another layer",
            later + (L - 1) * first: "the lowest layer is the one that reads x, all others read H numbers",
            L * later: "the lowest layer reads D numbers, not H",
            first + (L - 1) * later + H + 1: "the head is not asked for: only the layers",
            first
            + (L - 1) * later
            + L * 3 * H: "this is torch.nn.GRU, with two bias vectors a layer; here there is one",
            first + (L - 1) * later - L * 3 * H: "the biases are missing: 3 H in each layer",
            (first + (L - 1) * later) // 3: "a GRU layer has three blocks: reset gate, update gate and candidate",
            (first + (L - 1) * later) // 3 * 4: "four blocks are an LSTM's; a GRU has three",
            first: "this is one layer alone",
        }
        if got != first + (L - 1) * later:
            raise Wrong(mistakes.get(got, f"with D = {D}, H = {H} and L = {L} it is another number; begin with L = 1"))
    return "A deeper stack grows by 3 H (2 H + 1) a layer, a wider one by the square of its width."


@exercise
def gated(decide: Callable) -> str:
    """decide(h, entered) -> (update, candidate): h is the count / 20; update h + (1 - update) candidate is the next.

    While nothing is entered, the checker disturbs the candidate, as a network would.
    """
    for seed in (0, 1):
        generator = torch.Generator().manual_seed(seed)
        entered = (torch.rand(201 + 36 * seed, generator=generator) < 0.05).tolist()
        noise = torch.empty(len(entered)).uniform_(-0.5, 0.5, generator=generator).tolist()
        h, count = 0.0, 0
        for t, (now, disturbed) in enumerate(zip(entered, noise, strict=True), start=1):
            answer = parts(decide(h, now), 2, "the answer")
            update, candidate = (_gate(part, name) for part, name in zip(answer, ("update", "candidate"), strict=True))
            if not -1e-6 <= update <= 1 + 1e-6:
                raise Wrong(f"a gate lies between 0 and 1, and at step {t} your update gate is {update:g}")
            if abs(candidate) > 1 + 1e-6:
                raise Wrong(f"a candidate comes out of tanh, between -1 and 1, and at step {t} yours is {candidate:g}")
            before, count = h, count + now
            h = update * h + (1 - update) * (candidate if now else candidate + disturbed)
            if abs(h - count / 20) > 1e-4:
                why = _why(now, update, candidate, before)
                raise Wrong(f"at step {t} the count should be {count}, and your unit holds {20 * h:.3g}: {why}")
            h = count / 20  # what rounding leaves does not add up
    return "Whatever the candidate said in between, nothing got in: so much for a gate."


def _gate(value: object, name: str) -> float:
    value = value.item() if hasattr(value, "item") and math.prod(value.shape) == 1 else value
    return number(float(value) if isinstance(value, bool) else value, f"the {name}")


def _why(now: bool, update: float, candidate: float, before: float) -> str:
    if not now:
        return "while nothing is entered the gate must keep (1), or the candidate gets in"
    if update == 1:
        return "at an entrance the gate must let the candidate in, and 1 keeps the old count"
    if abs(candidate - 0.05) < 1e-6 and before > 0:
        return "the candidate takes the place of the count, so it must hold the old count too"
    if update == 0 and abs(candidate - before - 1) < 1e-6:
        return "the state is the count in twentieths, so an entrance adds 1/20"
    return "with the gate between 0 and 1 only a part of the candidate gets in"


@exercise
def residual(made: type) -> str:
    """A class derived from Stacked in which each layer from the second on adds its output to what it read."""
    written_class(made, "forward", parent=Stacked)
    for seed, (D, H, L) in enumerate((*SIZES, (2, 3, 1))):
        torch.manual_seed(seed)
        stack = _build(made, RNN if seed % 2 else GRU, D, H, L)
        x = torch.randn(2, 6, D)
        with (
            blame("your class", "(the lowest layer reads D numbers and gives H: nothing can be added there)"),
            torch.no_grad(),
        ):
            found = stack(x.clone())
        if found is None or found is ...:
            raise Wrong("`forward` gives nothing back: it needs a `return`")
        if isinstance(found, Tensor):
            raise Wrong("`forward` gives back 2 values: the hidden states of all layers, and all last states")
        hidden, states = parts(found, 2, "what `forward` returns")
        hidden = [
            tensor(one, 2, 6, H, what=f"the output of layer {k}")
            for k, one in enumerate(parts(hidden, L, "the list of hidden states"), 1)
        ]
        parts(states, L, "the list of last states")
        with torch.no_grad():
            right = _stacked(stack, x)
            for k, (got, wanted) in enumerate(zip(hidden, right, strict=True), 1):
                if torch.allclose(got, wanted, rtol=1e-3, atol=1e-5):
                    continue
                plain, averaged = (_stacked(stack, x, add)[k - 1] for add in (0, 0.5))
                wrong = {
                    "nothing is added here yet: from the second layer on, layer(x) + x goes up, and back": plain,
                    "the layer's output and what it read are to be added, not averaged": averaged,
                }
                recognise(got, {says: value for says, value in wrong.items() if not torch.allclose(value, wanted)})
                raise Wrong(
                    f"layer {k} of {L} gives something else: x = layer(x) + x, but in the lowest layer x = layer(x)"
                )
            with blame("with `states` to go on from, it"):
                _, halfway = stack(x[:, :3])
                top = stack(x[:, 3:], halfway)[0][-1]
            if not torch.allclose(tensor(top, 2, 3, H, what="the top layer"), right[-1][:, 3:], rtol=1e-3, atol=1e-5):
                raise Wrong(
                    "read in two parts, the second from the states of the first, a series comes out otherwise: each "
                    "layer begins with its own of `states` and hands back its own last state, nothing added"
                )
    return "The sum is a path from the lowest layer to the head that no layer can close."


def _stacked(stack: Stacked, x: Tensor, add: float = 1.0) -> list[Tensor]:
    found = []
    for k, layer in enumerate(stack.layers):
        out, _ = layer(x)
        x = out if k == 0 else out * (0.5 if add == 0.5 else 1.0) + add * x
        found.append(x)
    return found


@exercise
def summed(made: type) -> str:
    """A class derived from LearnedCounter whose output is the running sum of the probabilities of an entrance."""
    written_class(made, "forward", parent=LearnedCounter)
    for seed, (B, T, H) in enumerate(((2, 7, 5), (3, 4, 6))):
        torch.manual_seed(seed)
        model = _build(made, Stacked(GRU, 1, H, 2))
        model.head.weight.data.mul_(5)
        x = torch.randn(B, T, 1)
        with blame("your class"), torch.no_grad():
            found = model(x.clone())
        if found is None or found is ...:
            raise Wrong("`forward` gives nothing back: it needs a `return`")
        outputs, hidden = parts(found, 2, "what `forward` returns")
        if isinstance(outputs, Tensor) and outputs.shape == (B, T):
            raise Wrong("the outputs must keep their last axis, (B, T, 1), as the scalar read-out has it")
        got = tensor(outputs, B, T, 1, what="the outputs")
        with torch.no_grad():
            scores, _ = LearnedCounter.forward(model, x)
        probs = scores.sigmoid()
        right = probs.cumsum(dim=1)
        if not torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            recognise(
                got,
                {
                    "these are the probabilities of an entrance at each step: now sum them over the steps": probs,
                    "this is the scalar read-out as it was": scores,
                    "the sum is of probabilities: put a sigmoid on each score before the sum": scores.cumsum(dim=1),
                    "the sigmoid belongs on each score, not on their sum": scores.cumsum(dim=1).sigmoid(),
                    "the sum runs over the steps, axis 1": probs.cumsum(dim=0),
                    "each step's own probability belongs into its count": right - probs,
                    "a step is an entrance or not: sigmoid, not ReLU": scores.relu().cumsum(dim=1),
                    "a sum, not a mean: divide by nothing": right / torch.arange(1, T + 1)[:, None],
                },
            )
            raise Wrong("the outputs should be the running sum, over the steps, of the sigmoid of the head's score")
        parts(hidden, 2, "the list of hidden states")
    return "Now train it, and ask it for series of 90 steps."


def _build(made: type, *sizes: object) -> nn.Module:
    with blame("your class"):
        return made(*sizes)
