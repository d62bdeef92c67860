"""Old Faithful: how long its eruptions lasted in October 1980, and how long people then waited for the next.

Source   R's data set `faithful`; Weisberg 2005, Applied Linear Regression, problem 1.4 (data/DATA.md).
Agrees   the means and standard deviations that R gives (tests/tasks/test_geyser.py).
"""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attend.tasks import data

DATA = ("tasks/data/geyser.npz",)
__all__ = ["eruptions", "example"]


def eruptions() -> tuple[Float[Tensor, "N"], Float[Tensor, "N"]]:
    """Of 272 eruptions the duration, and the wait until the next one, both in minutes.

    Raises attend.tasks.data.DamagedData when the file was changed.
    """
    arrays = np.load(data.path("geyser.npz"))
    return torch.from_numpy(arrays["duration"] / np.float32(1000)), torch.from_numpy(arrays["wait"]).float()


def example() -> str:
    """The first eruptions: `3.6 min → 79 min`."""
    duration, wait = eruptions()
    return ", ".join(
        f"{d:.1f} min → {w:.0f} min" for d, w in zip(duration[:4].tolist(), wait[:4].tolist(), strict=True)
    )
