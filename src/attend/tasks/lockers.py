"""Lockers: one after the other, things are put into numbered lockers. At the end: what is in one of them?

The field calls it associative recall.

Source   ours; associative recall as in Ba et al. 2016, arXiv:1610.06258.
Agrees   worked cases (tests/tasks/test_lockers.py).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed

THINGS = 6


@checked
def sample(
    batch: Positive,
    steps: Positive = 8,
    lockers: Positive = 12,
    *,
    again: bool = False,
    known: bool = False,
    generator: torch.Generator | None = None,
) -> tuple[Float[Tensor, "B T D"], Int[Tensor, "B"]]:
    """`batch` lists of `steps` lockers with a thing each, then a locker alone; and the thing in it, from 0 to 5.

    Each step is a one-hot locker beside a one-hot thing, D = lockers + THINGS. Where lockers are used `again`, the
    newest thing counts; otherwise each is used once at most, and there must be at least as many as steps. `known`: the
    locker that will be asked for is always locker 0.
    """
    if again:
        locker = torch.randint(lockers, (batch, steps), generator=generator)
    else:
        many = f"at most lockers = {lockers}, unless they are used again"
        expect(steps <= lockers, "steps", steps, many)
        order = torch.rand(batch, lockers, generator=generator).argsort(dim=1)
        locker = order[:, :steps]
    thing = torch.randint(THINGS, (batch, steps), generator=generator)
    which = torch.randint(steps, (batch, 1), generator=generator)
    asked = locker.gather(1, which)  # (B, 1)
    count = (locker == asked) * torch.arange(1, steps + 1)
    newest = count.argmax(dim=1, keepdim=True)  # the last that fits
    if known:
        locker, asked = (locker - asked) % lockers, 0 * asked
    number = F.one_hot(torch.cat([locker, asked], dim=1), lockers)
    what = F.pad(F.one_hot(thing, THINGS), (0, 0, 0, 1))  # nothing last
    x = torch.cat([number, what], dim=2)  # (B, steps + 1, lockers + 6)
    return x.float(), thing.gather(1, newest)[:, 0]


@checked
def example(steps: Positive = 5, lockers: Positive = 12, *, again: bool = False, seed: Seed = 0) -> str:
    """One list to read, the question and the answer: `3A 0F 7C | 0? → F`."""
    x, answer = sample(1, steps, lockers, again=again, generator=torch.Generator().manual_seed(seed))
    locker, thing = x[0, :, :lockers].argmax(dim=1).tolist(), x[0, :-1, lockers:].argmax(dim=1).tolist()
    shown = " ".join(f"{number}{'ABCDEF'[of]}" for number, of in zip(locker[:-1], thing, strict=True))
    return f"{shown} | {locker[-1]}? → {'ABCDEF'[int(answer)]}"
