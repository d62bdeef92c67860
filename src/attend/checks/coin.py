"""Exercises of the page on coin flips."""

import inspect
import math
import random
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy

from attend.checks.answers import floats, number, parts, whole
from attend.checks.exercise import Untouched, Wrong, blame, exercise
from attend.memory.coin import StickyTally, Tally, read
from attend.tasks import coin

METHODS = ("start", "step", "predict")


@exercise
def tails(count: object) -> str:
    """How many tails in a row after three heads, until tails is more probable than heads."""
    found = whole(count, "the number of tails")
    if found == 3:
        raise Wrong("after three heads and three tails the two are equally probable: 4/8")
    if found == 2:
        raise Wrong(
            "after three heads and two tails heads still has 4/7: it is the flips that count, not the last ones"
        )
    if found != 4:
        raise Wrong(
            f"the prediction after three heads and {found} tails is 4/{3 + found + 2}; when is 4/(n + 2) below 1/2?"
        )
    return "4/9. A tally has no favourite end: it takes more tails than there were heads, in whatever order."


@exercise
def merge(merged: Callable) -> str:
    """merged((m1, n1), (m2, n2)) -> (m, n): the proportion and the number of all flips, from those of two parts."""
    draw = random.Random(3)
    for _ in range(4):
        (k1, n1), (k2, n2) = ((draw.randint(0, n), n) for n in (draw.randint(3, 9), draw.randint(11, 40)))
        first, second = (k1 / n1, n1), (k2 / n2, n2)
        m, n = (number(part, "each part of the answer") for part in parts(merged(first, second), 2, "the answer"))
        if not math.isclose(n, n1 + n2, rel_tol=1e-3):
            raise Wrong(f"the flips add up: {n1} and {n2} make {n1 + n2}, and the answer says {n:g}")
        wanted = (k1 + k2) / (n1 + n2)
        if math.isclose(m, wanted, rel_tol=1e-3, abs_tol=1e-6):
            continue
        if math.isclose(m, (first[0] + second[0]) / 2, rel_tol=1e-3):
            raise Wrong(
                "the plain average of the two proportions forgets that they stand on different numbers of flips"
            )
        if math.isclose(m, k1 + k2, rel_tol=1e-3):
            raise Wrong("these are the heads of both; what is kept here is their proportion, so divide by the flips")
        raise Wrong(
            f"{k1} heads of {n1} and {k2} of {n2} make {k1 + k2} of {n1 + n2}, a proportion of {wanted:.4g}; "
            f"the answer says {m:.4g}"
        )
    return "Sufficient descriptions can be merged without the flips that they came from."


@exercise
def sticky(memory: object) -> str:
    """A class with start, step and predict: the exact memory of coins that repeat their last flip."""
    for seed, (B, T) in enumerate([(3, 7), (5, 11)]):
        flips, _ = coin.sample_sticky(B, T, torch.Generator().manual_seed(seed))
        flips[0, :4] = torch.tensor([1.0, 1.0, 0.0, 0.0])
        first, got = _read(memory, flips, before=True).split([1, T], dim=1)
        exact = read(StickyTally(), flips)
        if torch.allclose(got, exact, rtol=1e-3, atol=1e-5):
            _fair(first)
            continue
        _recognise(got, flips)
        b, t = divmod(int(((got - exact).abs() > 1e-3).flatten().int().argmax()), T)
        seen = "".join("TH"[int(x)] for x in flips[b, : t + 1])
        raise Wrong(f"after {seen} heads has a probability of {exact[b, t]:.3f}, and your memory says {got[b, t]:.3f}")
    return "Three numbers, and one of them is the last flip: here order matters, and one kept flip is enough to see it."


def _fair(first: Tensor) -> None:
    """Before any flip both sides are equally probable."""
    wrong = first[(first - 0.5).abs() > 1e-3]
    if len(wrong):
        raise Wrong(
            f"the first flip is fair: before it heads has a probability of 0.5, and your memory says {wrong[0]:.3f}; "
            "all that comes after is right"
        )


def _recognise(got: Tensor, flips: Tensor) -> None:
    """Name the typical mistakes of a sticky memory, from what it predicts after each flip (B, T)."""
    n = torch.arange(1, flips.shape[1] + 1)
    again = torch.zeros_like(flips)
    again[:, 1:] = (flips[:, 1:] == flips[:, :-1]).float()
    repeats = again.cumsum(dim=1)
    exact = (repeats + 1) / (n + 1)
    mistakes = {
        "this is the tally of heads: it has no eye for repeats": read(Tally(), flips),
        "this is the probability of a repeat; after tails a repeat is tails, so heads has the rest": exact,
        "the first flip can repeat nothing: among n flips there are n - 1 that could have been repeats": _heads(
            (repeats + 1) / (n + 2), flips
        ),
        "the first flip repeats nothing: there is none before it": _heads((repeats + 2) / (n + 1), flips),
        "with a start of zeros a first tails counts as a repeat, of a flip that never was": _heads(
            (repeats + 1 + (flips[:, :1] == 0)) / (n + 1), flips
        ),
        "without the 1 and the 2 of the rule of succession one repeat makes it certain": _heads(
            repeats / (n - 1).clamp(min=1), flips
        ),
    }
    for says, mistaken in mistakes.items():
        if torch.allclose(got, mistaken, rtol=1e-3, atol=1e-5):
            raise Wrong(says)


def _heads(repeat: Tensor, flips: Tensor) -> Tensor:
    """The probability of heads from that of a repeat."""
    return torch.where(flips == 1, repeat, 1 - repeat)


def _read(memory: object, flips: Tensor, before: bool = False) -> Tensor:
    """What a memory of the reader predicts after each flip, (B, T); `before`: and before the first, (B, 1 + T)."""
    if inspect.isclass(memory):
        with blame("your class"):
            memory = memory()
    if missing := [name for name in METHODS if not callable(getattr(memory, name, None))]:
        raise Wrong(f"a memory is a class with start, step and predict; yours has no {missing[0]}")
    h = _called(memory.start, flips.clone())
    probs = [_said(memory, h, len(flips))] if before else []
    for x in flips.unbind(dim=1):
        h = _called(memory.step, x.clone(), h)
        probs.append(_said(memory, h, len(flips)))
    found = torch.stack(probs, dim=1)
    if not bool(((found >= -1e-6) & (found <= 1 + 1e-6)).all()):
        raise Wrong("a probability lies between 0 and 1")
    return found


def _said(memory: object, h: object, B: int) -> Tensor:
    """What it predicts for B streams from one hidden state."""
    p = floats(_called(memory.predict, h), "predict must give one probability for each stream")
    if p.shape != (B,):
        raise Wrong(f"predict must give one probability for each of {B} streams, got shape {tuple(p.shape)}")
    return p.detach()


def _called(method: Callable, *arguments: object) -> object:
    with blame(method.__name__):
        found = method(*arguments)
    if found is None or found is ...:
        raise Untouched
    return found


ENOUGH = 0.03
"""Bits a flip above the exact rule; four hundred steps of the page's loop come to about 0.01."""


@exercise
def build(train: Callable) -> str:
    """train() -> a memory that was trained on sticky coins: start, step and predict, as CoinRNN has them."""
    flips, _ = coin.sample_sticky(4_000, 21, torch.Generator().manual_seed(7))
    seen, coming = flips[:, :-1], flips[:, 1:]
    memory = train()
    got = _read(memory, seen).clamp(1e-6, 1 - 1e-6)
    paid, exact, tally = (
        binary_cross_entropy(probs, coming).item() / math.log(2)
        for probs in (got, read(StickyTally(), seen), read(Tally(), seen))
    )
    if not isinstance(memory, nn.Module):
        raise Wrong("this memory has nothing that could be trained: train() must return a network")
    if paid <= exact + ENOUGH:
        return f"{paid:.3f} bits a flip; the exact rule pays {exact:.3f}, a tally {tally:.3f}. Nobody had an idea."
    if paid > tally - 0.03:
        raise Wrong(
            f"it pays {paid:.3f} bits a flip, and a tally {tally:.3f}: was it trained, on sticky coins, "
            "and does the new state depend on the old one?"
        )
    raise Wrong(f"it pays {paid:.3f} bits a flip, and {exact + ENOUGH:.3f} are asked for: train it for longer")
