"""Exercises of the page on the way from gates to attention."""

from collections.abc import Callable
from numbers import Number

import numpy as np
import torch
from torch import Tensor

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.transformers.gates import gate_weights


@exercise
def left(weights: object) -> str:
    """The weights of candidates 3 and 8 in h_10, where gate 3 is 0 and all gates after it are 0.9."""
    three, eight = (number(value, "a weight") for value in parts(weights, 2, "the answer"))
    right = 0.9**7, 0.1 * 0.9**2
    if abs(three - right[0]) < 0.005 and abs(eight - right[1]) < 0.005:
        return (
            "Half of candidate 3 is left, though it was written long before; candidate 8 never had more than a tenth."
        )
    if abs(three - right[1]) < 0.005 and abs(eight - right[0]) < 0.005:
        raise Wrong("candidate 3 comes first in the answer, then candidate 8")
    if abs(three - right[0]) >= 0.005:
        for power in (6, 8):
            if abs(three - 0.9**power) < 0.005:
                raise Wrong("count the gates again that candidate 3 has to pass: those of steps 4 to 10")
        raise Wrong("candidate 3 is written whole, since gate 3 is 0. How many gates does it pass until step 10?")
    if abs(eight - 0.9**2) < 0.005:
        raise Wrong("how much of candidate 8 does its own gate let in?")
    if abs(eight - 0.1) < 0.005:
        raise Wrong("a tenth of candidate 8 is let in, and then it passes two more gates")
    raise Wrong("candidate 3 is right. Of candidate 8 only a part is let in, and that part passes the gates after it")


@exercise
def wishes(z: object) -> str:
    """Eight gates with which candidate 2 has half of h_6, and candidate 5 has half of h_7."""
    values = [number(float(v) if isinstance(v, bool) else v, "a gate") for v in parts(z, 8, "the gates")]
    for step, value in enumerate(values, 1):
        if not 0 <= value <= 1:
            raise Wrong(f"gates lie between 0 and 1, and z_{step} is {value:g}")
    table = gate_weights(torch.tensor(values, dtype=torch.float64)[None, :, None])[0, :, :, 0]
    two, five = float(table[5, 1]), float(table[6, 4])
    so = f"candidate 2 has {two:.2f} of h_6, candidate 5 has {five:.2f} of h_7"
    if abs(two - 0.5) < 0.01 and abs(five - 0.5) < 0.01:
        return f"And more than this no gates can do: {so}."
    if two > 0.51:
        raise Wrong(f"what h_6 gives to candidate 2 is lost to candidate 5, for good: {so}")
    if values[1] > 0.51:
        raise Wrong(f"step 2 lets in only 1 - z_2 of its candidate: {so}")
    if five > 0.51:
        raise Wrong(f"step 5 overwrites too much of candidate 2: {so}")
    raise Wrong(f"both must be one half: {so}")


@exercise
def locker(write: Callable) -> str:
    """write(locker, thing, M) -> the gates (M) and candidates (M) that leave the newest thing of locker m in h[m]."""
    for seed, M, steps in ((0, 5, 9), (1, 7, 13)):
        generator = torch.Generator().manual_seed(seed)
        h, holds = torch.zeros(M), {}
        first, second = torch.randperm(M, generator=generator)[:2].tolist()
        others = torch.randint(M, (steps - 3,), generator=generator).tolist()
        things = torch.randperm(steps, generator=generator).add(1).tolist()
        for number_, thing in zip([first, second, first, *others], things, strict=True):
            gates, candidate = parts(write(number_, float(thing), M), 2, "the answer")
            z = _units(gates, M, "the gates")
            if not bool(((z >= 0) & (z <= 1)).all()):
                raise Wrong("a gate lies between 0 and 1")
            h = z * h + (1 - z) * _units(candidate, M, "the candidates")
            before, holds[number_] = dict(holds), thing
            for m, held in holds.items():
                if abs(h[m].item() - held) <= 0.05:
                    continue
                if m != number_:
                    raise Wrong("a locker that is not used at this step loses its thing: its gate must keep all of it")
                if abs(h[m].item() - before.get(m, 0.0)) <= 0.05:
                    raise Wrong("the thing does not get in: z keeps, so the gate of its locker must be 0")
                raise Wrong("unit m must hold the thing itself, as it was put into locker m")
    return "A gate can wait for the question, in a layer that has a unit for every question."


@exercise
def running(step: Callable) -> str:
    """step(state, q, k, v) -> h and the new state of linear attention, one step at a time; `state` is None at first."""
    for seed, T, d, width in ((0, 5, 3, 4), (1, 11, 2, 7)):
        generator = torch.Generator().manual_seed(seed)
        q, k = (torch.rand(T, d, generator=generator) + 0.1 for _ in range(2))
        v = torch.randn(T, width, generator=generator)
        state, sizes = None, []
        for t in range(T):
            try:
                answer = step(state, q[t], k[t], v[t])
            except Wrong:  # a state of arrays, in a function that reckons with tensors
                answer = step(_tensors(state), q[t], k[t], v[t])
            got, state = parts(answer, 2, "the answer")
            sizes.append(_size(state))
            scores = k[: t + 1] @ q[t]
            right = scores @ v[: t + 1] / scores.sum()
            got = tensor(_plain(got), width, what="h")
            if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
                continue
            mistakes = {
                "the weights must add up to one: divide by q · n, where n is the sum of all keys": scores @ v[: t + 1],
                "v_t is missing: step t may read itself, so update the state before you read it": (
                    scores[:-1] @ v[:t] / scores[:-1].sum() if t else torch.zeros(width)
                ),
                "this is a softmax; here the weights are in proportion to q · k itself": scores.softmax(0) @ v[: t + 1],
                "the query is not used: this is the plain mean of the values": v[: t + 1].mean(0),
                "n is the sum of the keys, and what you divide by is q · n": scores @ v[: t + 1] / (t + 1),
                "only the newest step is in your state: add to what was there": v[t],
            }
            recognise(got, mistakes)
            raise Wrong("h is the mean of the values so far, weighted by q · k of each; yours is something else")
        if sizes[-1] > sizes[1]:
            raise Wrong("right, but your state grows with every step: d times the width of v, and d more, are enough")
    return "And the memory at step a million is as large as at step one."


def _units(value: object, M: int, what: str) -> Tensor:
    """A number for each of M units; a single one is meant for all of them."""
    value = _plain(value)
    if isinstance(value, Number) or (isinstance(value, Tensor | np.ndarray) and value.ndim == 0):
        value = [number(value, what)] * M
    return tensor(value, M, what=what)


def _plain(value: object) -> object:
    """What needs a gradient, without it; a list of tensors as numbers."""
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, list | tuple):
        return [one.item() if isinstance(one, Tensor | np.generic | np.ndarray) else one for one in value]
    return value


def _tensors(state: object) -> object:
    """A state with each array in it as a tensor."""
    if isinstance(state, list | tuple):
        return tuple(map(_tensors, state))
    return torch.from_numpy(state) if isinstance(state, np.ndarray) else state


def _size(state: object) -> int:
    """How many numbers a state holds, whatever it is made of."""
    if isinstance(state, Tensor):
        return state.numel()
    if isinstance(state, np.ndarray):
        return state.size
    if isinstance(state, Number | str) or state is None:
        return 1
    if isinstance(state, dict):
        return sum(map(_size, state.values()))
    try:
        return sum(map(_size, state))
    except TypeError:
        return sum(map(_size, vars(state).values()))
