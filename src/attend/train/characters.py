"""How the course's models of characters are trained on the plays: on windows from anywhere, or reading on and on."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive
from attend.tasks import plays
from attend.train.fit import History, TrainStep, fit

BATCH, CONTEXT = 16, 64
"""Windows a step, and characters that are read in each."""


@checked
def train_on_windows(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    *,
    seed: NonNegative,
    steps: Positive,
    logits: Callable[[nn.Module, Tensor], Tensor] = nn.Module.__call__,
    callbacks: Iterable[Callable[[TrainStep], None]] = (),
    label: str = "plays",
) -> None:
    """Train on the windows of one seed, the same for every model; `logits(model, tokens)` gives (B, T, V).

    For a tenth of the steps the learning rate rises to the one that the optimiser was made with, then it falls.
    """
    expect(steps != 10, "steps", steps, "any number but 10, of which torch makes a rise of no length")
    [rate] = {group["lr"] for group in optimiser.param_groups}
    fit(
        model,
        lambda model, window: plays.cost(logits(model, window[:, :-1]), window[:, 1:]),
        plays.windows(BATCH, CONTEXT, torch.Generator().manual_seed(1_000 + seed)),
        steps=steps,
        optimiser=optimiser,
        schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1),
        clip=1.0,
        callbacks=callbacks,
        label=label,
    )


@checked
def train_reading_on(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    *,
    steps: Positive,
    B: Positive = 32,
    T: Positive = 64,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    label: str = "plays",
) -> History:
    """Train `model(tokens, state)` on B readers of T characters a step, the state handed on and detached."""
    state = None

    def loss(model: nn.Module, batch: tuple[Tensor, Tensor, bool]) -> Tensor:
        nonlocal state
        tokens, following, fresh = batch
        logits, state = model(tokens, None if fresh else state)
        state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
        return plays.cost(logits, following)

    return fit(
        model, loss, plays.batches(B, T), steps=steps, optimiser=optimiser, schedule=schedule, clip=1.0, label=label
    )


@checked
@torch.no_grad()
def bits(model: nn.Module, part: str) -> float:
    """Bits per character on one part of the plays, read in rows of 2,000."""
    tokens = plays.pages(part, 2_001)
    return plays.cost(model(tokens[:, :-1])[0], tokens[:, 1:]).item() / math.log(2)
