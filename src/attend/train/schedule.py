"""How the rate of learning goes along a training."""

import torch

from attend.core.expect import checked, expect


@checked
def one_cycle(optimiser: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """For a tenth of the steps up to the rate that the optimiser was made with, then down to as good as nothing.

    Raises ValueError for no steps.
    """
    expect(steps > 0, "steps", steps, "a positive whole number")
    expect(steps != 9, "steps", steps, "any number but 9, of which torch makes a rise of no length")
    rate = optimiser.param_groups[0]["lr"]
    return torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.1)
