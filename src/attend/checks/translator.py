"""Exercises of the page on the Transformer."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise

X = torch.tensor([[2.0, -1.0, 0.5, 3.0], [0.0, 4.0, -2.0, 1.0]])
"""Two steps of width 4."""
KEYS = torch.tensor([[0.5, -1.0], [1.5, 0.3], [-0.7, 0.9]])
VALUES = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0], [4.0, 1.0, 1.0]])
QUERY, KEY, VALUE = torch.tensor([1.2, -0.8]), torch.tensor([0.6, 1.1]), torch.tensor([-2.0, 0.5, 0.0])


@exercise
def beside(block: Callable) -> str:
    """block(x, norm, part) -> x (T, D) beside what `part` says of the normalised x."""

    def norm(x: Tensor) -> Tensor:
        return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)

    def part(x: Tensor) -> Tensor:
        return x.flip(-1) * 0.5 + 1

    got, right = tensor(block(X, norm, part), *X.shape), X + part(norm(X))
    if torch.allclose(got, right, atol=1e-5):
        return "x itself goes through untouched; only the part sees it normalised."
    recognise(
        got,
        {
            "this is the order of the paper, normalised after the sum; before is asked for": norm(X + part(X)),
            "the residual connection is missing: x must be added": part(norm(X)),
            "norm is missing: the part must see the normalised x": X + part(X),
            "x must be added as it came, not normalised": norm(X) + part(norm(X)),
            "norm belongs before the part, not after it": X + norm(part(X)),
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def mask(may_look: Callable) -> str:
    """may_look(lengths, T) -> (B, T, T), True where step t (a row) of an answer may look at step s (a column)."""
    for lengths, T in ((torch.tensor([3, 2]), 3), (torch.tensor([1, 4, 2]), 4)):
        there = torch.arange(T) < lengths[:, None]
        back = torch.ones(T, T, dtype=torch.bool).tril()
        right = back & there[:, None]
        got = tensor(may_look(lengths, T), *right.shape, what="the mask")
        if torch.equal(got, right.float()):
            continue
        mistakes = {
            "this lets every step look ahead: step t may look at s only where s <= t": there[:, None].expand_as(right),
            "padding is seen: step s is there only where s < length": back.expand_as(right),
            "rows look and columns are looked at: this is turned over": right.mT,
            "a step may look at itself: s <= t, not s < t": right & ~torch.eye(T, dtype=torch.bool),
            "True means may look; here it means may not": ~right,
            "this hides the rows that are padding; what must not be seen are the columns": back & there[:, :, None],
        }
        recognise(got, {says: mistaken.float() for says, mistaken in mistakes.items()})
        raise Wrong(f"lengths {lengths.tolist()}, T = {T}: got {got.int().tolist()}, expected {right.int().tolist()}")
    return "One comparison for the future, one for the padding, and both must agree."


@exercise
def smoothed(wanted: Callable) -> str:
    """wanted(right, V, share) -> (B, V): the wanted chances, with `share` spread evenly over all V words."""
    right, V, share = torch.tensor([2, 0]), 5, 0.2
    got = tensor(wanted(right, V, share), 2, V, what="the wanted chances")
    hot = torch.nn.functional.one_hot(right, V).float()
    target = (1 - share) * hot + share / V
    if torch.allclose(got, target, atol=1e-6):
        return "The right word keeps 0.84: the tenths that are spread reach it, too."
    recognise(
        got,
        {
            "all of the chance is still on the right word": hot,
            "chances must add up to 1: take from the right word what the others get": hot + share / V,
            "share is spread over all V words, the right one among them: it is V that divides": (1 - share) * hot
            + share / (V - 1) * (1 - hot),
            "share is spread, not given to each word": (1 - share) * hot + share,
            "the right word gets its part of what is spread, too": (1 - share) * hot + share / V * (1 - hot),
            "share is what is spread; the right word keeps 1 - share": share * hot + (1 - share) / V,
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(target)}")


@exercise
def step(stepped: Callable) -> str:
    """stepped(query, key, value, keys, values) -> what one head reads at a new step, and all keys and values now."""
    answer = stepped(QUERY, KEY, VALUE, KEYS, VALUES)
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise Wrong("three results are asked for: what is read, all keys, all values")
    keys, values = torch.cat([KEYS, KEY[None]]), torch.cat([VALUES, VALUE[None]])
    got = tensor(answer[0], 3, what="what is read")
    if tuple(getattr(answer[1], "shape", ())) == tuple(KEYS.shape):
        raise Wrong("the new key must be remembered: the next step wants to look at it")
    after = tensor(answer[1], 4, 2, what="the keys"), tensor(answer[2], 4, 3, what="the values")
    if not (torch.equal(after[0], keys) and torch.equal(after[1], values)):
        raise Wrong("the new key and value belong behind those of the steps before, in the order of the steps")
    right = (keys @ QUERY / 2**0.5).softmax(0) @ values
    if torch.allclose(got, right, atol=1e-5):
        return "One query against what is remembered: nothing of the steps before is made again."
    recognise(
        got,
        {
            "a step may look at itself: its own key and value join before it looks": (KEYS @ QUERY / 2**0.5).softmax(0)
            @ VALUES,
            "the scores must be divided by the root of the width": (keys @ QUERY).softmax(0) @ values,
            "the scores are divided by the width; its root is asked for": (keys @ QUERY / 2).softmax(0) @ values,
            "the query asks the keys, not the values": keys.new_full((4,), 0.25) @ values,
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


def _spell(numbers: Tensor) -> str:
    return str([[round(value, 3) for value in row] for row in numbers.view(-1, numbers.shape[-1]).tolist()])
