"""A recorded wave to bring forth from nothing but a start signal: 40 ms of a voice that says "seven".

Source   The audio task of Koutník et al. 2014 (arXiv:1402.3511): 320 samples of a recording, to be generated.
Departs  a recording of our own choice, at 8 kHz; a start signal at the first step, where theirs had no input.
Agrees   the recording's length, peak and first samples; a normalised error by hand (tests/tasks/test_wave.py).
"""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks import data

DATA = ("tasks/data/wave.npz",)
__all__ = ["RATE", "cost", "example", "recording", "start_signal"]

RATE = 8000
"""Samples a second."""


def recording() -> Float[Tensor, " T"]:
    """The 320 samples, between -1 and 1: divided by the largest, so that the highest peak is 1. No unit.

    Raises attend.tasks.data.DamagedData when the file was changed.
    """
    samples = torch.from_numpy(np.load(data.path("wave.npz"))["samples"].astype(np.float32))
    return samples / samples.abs().max()


@checked
def start_signal(steps: int, at: int = 0) -> Float[Tensor, "1 T 1"]:
    """The only input, (1, T, 1): a one at step `at`, and zeros. Raises ValueError unless 0 <= at < steps."""
    expect(steps > 0, "steps", steps, "a positive whole number")
    expect(0 <= at < steps, "at", at, f"a step from 0 to {steps - 1}")
    x = torch.zeros(1, steps, 1)
    x[0, at, 0] = 1.0
    return x


@checked(may_be_nonfinite=("made",))
def cost(made: Float[Tensor, "*batch T"], wanted: Float[Tensor, " T"]) -> Float[Tensor, "*batch"]:
    """The normalised mean squared error: 0 is perfect, 1 is as good as the wave's mean all along.

    Raises ValueError for a wanted wave that never moves, and for one that is not finite.
    """
    spread = wanted.var(correction=0)
    expect(bool(spread > 0), "wanted", wanted, "a wave that moves")
    return (made - wanted).square().mean(dim=-1) / spread


def example() -> str:
    """The recording in one line of text: its length, and every sixteenth sample."""
    wave = recording()
    few = " ".join(f"{value:+.2f}" for value in wave[::16])
    return f"{len(wave)} samples at {RATE} Hz, {1000 * len(wave) / RATE:.0f} ms; every 16th: {few}"
