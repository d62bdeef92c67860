"""Switch: is the light on? A pulse of +1 turns it on, a pulse of -1 turns it off, and in between there is only noise.

Source   The flip-flop of Sussillo & Barak 2013, with one channel in place of three, and noise between the pulses.
Agrees   worked cases, the share of pulses, the age of the last one (tests/tasks/test_switch.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Positive

RATE, NOISE = 0.05, 0.1
"""The probability of a pulse at each step, and the standard deviation of what comes in between."""


@checked
def sample(
    batch: Positive, steps: Positive, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 1"], Bool[Tensor, "B T"]]:
    """Streams x, and whether the light is on after each step. It starts off."""
    pulse = torch.rand(batch, steps, generator=generator) < RATE
    sign = 1.0 - 2.0 * torch.randint(2, (batch, steps), generator=generator)
    noise = NOISE * torch.randn(batch, steps, generator=generator)
    x = torch.where(pulse, sign, noise)
    return x.unsqueeze(2), light(x)


@checked
def light(x: Float[Tensor, "B T"]) -> Bool[Tensor, "B T"]:
    """Whether the light is on after each step of streams x: what is larger than a half counts as a pulse."""
    last = age(x)
    at = (torch.arange(x.shape[1], device=x.device) - last).clamp(min=0)
    return (x.gather(1, at) > 0.5) & (last < x.shape[1])


@checked
def age(x: Float[Tensor, "B T"]) -> Int[Tensor, "B T"]:
    """How many steps ago the last pulse came; T or more where none has come yet."""
    steps = torch.arange(x.shape[1], device=x.device).expand_as(x)
    never = torch.full_like(steps, -x.shape[1])
    return steps - torch.where(x.abs() > 0.5, steps, never).cummax(dim=1).values


@checked
def hold(
    batch: Positive, steps: Positive, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 2"], Float[Tensor, "B T"], Int[Tensor, "B T"]]:
    """The same with numbers (sample and hold): streams x, the number to hold at each step, and how old it is.

    The first channel brings a number from -1 to 1 at every step, the second a 1 where it is to be taken. Before the
    first 1 of the stream, 0 is held.
    """
    number = 2 * torch.rand(batch, steps, generator=generator) - 1
    take = (torch.rand(batch, steps, generator=generator) < RATE).float()
    old = age(take)
    at = (torch.arange(steps) - old).clamp(min=0)
    held = torch.where(old < steps, number.gather(1, at), torch.zeros_like(number))
    return torch.stack([number, take], dim=2), held, old
