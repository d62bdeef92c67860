"""Exercises of the page on positions."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.checks.made import Layer
from attend.transformers.positioned import PositionedTransformer
from attend.transformers.positions import sinusoids


@exercise
def hands(answer: tuple) -> str:
    """Of 16 hands (D = 32): the positions that the slowest needs for a turn, and how many turn within 512."""
    slowest, turned = parts(answer, 2, "the answer")
    slowest, turned = number(slowest, "the first number"), whole(turned, "the second number")
    turns = [2 * math.pi * 10_000 ** (2 * i / 32) for i in range(16)]
    if not math.isclose(slowest, turns[-1], rel_tol=0.01):
        if math.isclose(slowest, turns[-1] / (2 * math.pi), rel_tol=0.01):
            raise Wrong("so many positions turn it by one radian; a full turn has 2π of them")
        if math.isclose(slowest, 2 * math.pi * 10_000, rel_tol=0.01):
            raise Wrong("the last of 16 hands has i = 15, and 2i / D is not quite 1")
        if math.isclose(slowest, turns[0], rel_tol=0.02):
            raise Wrong("that is the fastest hand, i = 0; which i has the slowest?")
        raise Wrong("the slowest hand has the smallest angle a step, and needs 2π over it for a turn")
    if turned != sum(turn <= 512 for turn in turns):
        if turned == sum(turn > 512 for turn in turns) or turned == sum(turn <= 512 for turn in turns) + 8:
            raise Wrong("count the hands that do get round: 2π / ω is at most 512")
        raise Wrong("count the hands whose full turn, 2π · 10000^(2i / 32) positions, fits into 512")
    return "The others are still on their first turn when the text ends: every longer text is new to them."


def _turned(x: Tensor, angle: Tensor, halves: bool = False) -> Tensor:
    sin, cos = angle.sin(), angle.cos()
    if halves:
        a, b = x.chunk(2, dim=1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=1)
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=2).flatten(1)


@exercise
def rope(rope: Callable) -> str:
    """rope(x, positions) -> the rows of x (T, d), neighbouring pairs turned by position times frequency."""
    for seed, (T, d) in enumerate(((5, 6), (3, 10))):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(T, d, generator=generator)
        positions = torch.randint(2, 40, (T,), generator=generator)
        frequencies = 10_000.0 ** (-torch.arange(0, d, 2) / d)
        angle = positions[:, None] * frequencies
        got = tensor(rope(x.clone(), positions.clone()), T, d)
        right = _turned(x, angle)
        if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            continue
        a, b = x[:, 0::2], x[:, 1::2]
        recognise(
            got,
            {
                "x comes back as it was: nothing is turned": x,
                "number i turns with number d/2 + i; the exercise asks for neighbours, 2i and 2i + 1": _turned(
                    x, angle, halves=True
                ),
                "it turns the wrong way: the first of a pair is a·cos − b·sin": _turned(x, -angle),
                "the rows are turned as if they stood at 0, 1, 2, …: use `positions`": _turned(
                    x, torch.arange(T)[:, None] * frequencies
                ),
                "the pairs came apart: put the two numbers of a pair side by side again": torch.cat(
                    [right[:, 0::2], right[:, 1::2]], dim=1
                ),
                "all pairs turn equally fast: pair i has the frequency 10000^(−2i/d)": _turned(
                    x, positions[:, None] * torch.ones(d // 2)
                ),
                "the exponent is −2i/d, and `torch.arange(0, d, 2)` counts the 2i already": _turned(
                    x, positions[:, None] * 10_000.0 ** (-2 * torch.arange(0, d, 2) / d)
                ),
                "sinusoids are added; RoPE multiplies": x + torch.stack([angle.sin(), angle.cos()], 2).flatten(1),
                "a rotation mixes both numbers of a pair: (a·cos − b·sin, a·sin + b·cos)": torch.stack(
                    [a * angle.cos(), b * angle.sin()], dim=2
                ).flatten(1),
            },
        )
        if not torch.allclose(got.norm(dim=1), x.norm(dim=1), rtol=1e-3):
            raise Wrong("a rotation keeps the length of every row, and yours does not")
        raise Wrong("the lengths are right and the numbers are not: check the pairs, the angles, and the direction")
    return "Turned like this, a query and a key know how far apart they are, and nothing else."


@exercise
def back(back: Callable) -> str:
    """back(d_model, k) -> W_q and W_k (d_model, d_model) with which sinusoids attend to exactly k before."""
    for d_model, k in ((32, 3), (48, 7)):
        W_q, W_k = (
            tensor(part, d_model, d_model, what="each map") for part in parts(back(d_model, k), 2, "the answer")
        )
        p = sinusoids(1_000, d_model)
        weights = ((p @ W_q) @ (p @ W_k).T / d_model**0.5).softmax(1)
        found = weights.diagonal(-k)
        if bool((found >= 0.9).all()):
            continue
        t = int(found.argmin()) + k
        if bool((weights.diagonal(k) >= 0.9).all()):
            raise Wrong(f"it attends to {k} ahead: the turn goes the wrong way, or a transpose is missing")
        if bool((weights.diagonal() >= 0.9).all()):
            raise Wrong("every position attends to itself: let W_q turn all hands back")
        if int(weights[t].argmax()) == t - k:
            raise Wrong(
                f"with k = {k}, position {t} gives {found.min():.2f} of its weight to {t - k}, more than to any other, "
                "but too little: make the queries longer"
            )
        raise Wrong(f"with k = {k}, position {t} gives {found.min():.2f} of its weight to position {t - k}")
    return "It works at positions that no training has seen. Training just does not look for it."


ENOUGH = 0.95
"""The share of right answers that a learner's attention must reach."""


@exercise
def build(make: Callable) -> str:
    """make(d_model, num_heads) -> a module: causal attention with RoPE, (B, T, d_model) to the same shape."""
    torch.manual_seed(4)
    model = PositionedTransformer(10)
    model.layers[0][1] = own = Layer(make(32, 4))
    own.refuse_looking_ahead(32, (3, 5), (2, 16))
    with torch.no_grad():
        x = torch.randn(1, 7, 32)
        order = [3, 1, 0, 2, 5, 4, 6]
        if torch.allclose(own(x)[:, -1], own(x[:, order])[:, -1], atol=1e-5):
            raise Wrong("earlier tokens can change places and the last output stays: turn queries and keys")
    practise(model)
    letters = torch.randint(10, (300, 16), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        right = (model(letters)[:, 3:].argmax(2) == letters[:, :-3]).float().mean().item()
    if right >= ENOUGH:
        return f"Your attention plays 3-back with {right:.0%} right. Try it on a row of 64."
    raise Wrong(
        f"after training it has {right:.0%} right, and {ENOUGH:.0%} are asked for: are queries and keys both turned, "
        "after the cut into heads, and the scores divided by the root of a head's width?"
    )


def practise(model: nn.Module, steps: int = 300, rate: float = 0.01) -> None:
    """Train on 3-back as the page does."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    for _ in range(steps):
        letters = torch.randint(10, (64, 16))
        loss = cross_entropy(model(letters)[:, 3:].flatten(0, 1), letters[:, :-3].flatten())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
