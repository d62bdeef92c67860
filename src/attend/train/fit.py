"""The training loop: blind to the model and to the task.

It asks for a batch, asks the task for a loss, takes a step, and tells the observers. When the loss is no longer a
number it stops, says at which step, and puts back the last weights that were good.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from attend.core.expect import checked, expect

Batch = TypeVar("Batch")
Observer = Callable[["Moment"], None]


class NonFiniteLoss(ArithmeticError):
    """The loss became nan or infinite; the model holds the last weights whose loss was finite."""


@dataclass(frozen=True)
class Moment:
    """What an observer is told after a step (from 1): the loss, the gradient norm before clipping, the model."""

    step: int
    loss: float
    gradient_norm: float
    model: nn.Module


@dataclass
class History:
    """What training leaves behind: the loss and the norm of the gradient (before clipping) at every step."""

    losses: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)


@checked
def fit(
    model: nn.Module,
    loss: Callable[[nn.Module, Any], Tensor],
    batches: Iterable[Any],
    *,
    steps: int,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    clip: float | None = None,
    observers: Iterable[Observer] = (),
    label: str = "training",
) -> History:
    """Take `steps` steps of `optimiser` on `loss(model, batch)`, a scalar, over `batches`.

    `batches` is iterated once, and again from its start if it ends early; an endless generator is fine. `clip`
    bounds the global norm of the gradient; `schedule` is stepped after each step; each observer is called with a
    `Moment`. A progress bar is shown unless ATTEND_PROGRESS=0. Raises ValueError for bad arguments and
    NonFiniteLoss, with the last good weights put back, when the loss or the gradient is no longer finite.
    """
    expect(steps > 0, "steps", steps, "a positive whole number")
    expect(clip is None or 0 < clip < float("inf"), "clip", clip, "a positive number or None")
    history, good = History(), _copy(model)
    parameters = [p for group in optimiser.param_groups for p in group["params"]]
    model.train()
    with tqdm(total=steps, desc=label, leave=False, disable=_quiet(), file=sys.stdout) as bar:
        for step, batch in zip(range(1, steps + 1), _again(batches), strict=False):
            optimiser.zero_grad(set_to_none=True)
            value = loss(model, batch)
            _refuse_bad_loss(value)
            value.backward()
            norm = float(nn.utils.clip_grad_norm_(parameters, clip or float("inf")))
            if not (torch.isfinite(value) and norm < float("inf")):
                model.load_state_dict(good)
                cause = f"step {step}: loss {value.item()}, gradient norm {norm}"
                raise NonFiniteLoss(f"{cause}; the weights of the last finite loss are back in the model")
            good = _copy(model)
            optimiser.step()
            if schedule is not None:
                schedule.step()
            history.losses.append(value.item())
            history.gradient_norms.append(norm)
            for observer in observers:
                observer(Moment(step, value.item(), norm, model))
            bar.update()
            bar.set_postfix_str(f"loss {value.item():.3g}", refresh=False)
    model.eval()
    return history


def _quiet() -> bool:
    return os.environ.get("ATTEND_PROGRESS") == "0"


def _copy(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def _again(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The batches, and again from the start when they end; an iterable without a single batch is refused."""
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError("batches: got no batch, expected an iterable that can be read again or does not end")


def _refuse_bad_loss(value: object) -> None:
    if not isinstance(value, Tensor) or value.numel() != 1:
        got = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
        raise ValueError(f"loss: got {got}, expected a function that returns a scalar tensor")
