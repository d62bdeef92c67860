"""The training loop: blind to the model and to the task.

It asks for a batch, asks the task for a loss, takes a step, and tells the callbacks. When training ends in an error,
a loss that is not finite or an interrupt included, the weights of the last finite loss are put back.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from IPython import get_ipython
from torch import Tensor, nn
from tqdm.auto import tqdm

from attend.core.expect import checked, expect
from attend.core.types import Positive, PositiveFloat

Batch = TypeVar("Batch")
Callback = Callable[["TrainStep"], None]


class NonFiniteLoss(ArithmeticError):
    """The loss or the weights became nan or infinite; the model holds the last weights whose loss was finite."""


@dataclass(frozen=True)
class TrainStep:
    """What a callback is told after a step (from 1): the loss, the gradient norm before clipping, the model."""

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
    steps: Positive,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    clip: PositiveFloat | None = None,
    callbacks: Iterable[Callback] = (),
    label: str = "training",
) -> History:
    """Take `steps` steps of `optimiser` on `loss(model, batch)`, a scalar, over `batches`.

    `batches` is iterated once, and again from its start if it ends early; an endless generator is fine. `clip`
    bounds the global norm of the gradient; `schedule` is stepped after each step; each callback is called with a
    `TrainStep`. A person at a terminal or a notebook sees a progress bar. Raises ValueError for bad arguments and
    NonFiniteLoss when the loss, the gradient or a weight is no longer finite; whatever is raised, the weights of the
    last finite loss are back in the model. It is left in evaluation mode.
    """
    parameters = _parameters(optimiser, model)
    expect(schedule is None or schedule.optimizer is optimiser, "schedule", schedule, "a schedule of `optimiser`")
    history, callbacks, step, good = History(), tuple(callbacks), 0, _copy(model)
    model.train()
    try:
        with tqdm(total=steps, desc=label, leave=False, disable=not _watched(), file=sys.stdout) as bar:
            for step, batch in zip(range(1, steps + 1), _again(batches), strict=False):
                optimiser.zero_grad(set_to_none=True)
                value = loss(model, batch)
                _refuse_bad_loss(value)
                value.backward()
                norm = nn.utils.clip_grad_norm_(parameters, clip or math.inf).item()
                if not math.isfinite(value.item() + norm):
                    raise NonFiniteLoss(f"step {step}: loss {value.item()}, gradient norm {norm}")
                good = _copy(model)
                optimiser.step()
                if schedule is not None:
                    schedule.step()
                history.losses.append(value.item())
                history.gradient_norms.append(norm)
                for callback in callbacks:
                    callback(TrainStep(step, value.item(), norm, model))
                bar.update()
                bar.set_postfix_str(f"loss {value.item():.3g}", refresh=False)
        if not all(torch.isfinite(parameter).all() for parameter in parameters):
            raise NonFiniteLoss(f"step {step}: the weights are no longer finite")
    except BaseException as error:  # an interrupt too, which may have come in the middle of a step
        model.load_state_dict(good)
        error.add_note(f"Training stopped at step {step}; the weights of the last finite loss are back in the model.")
        raise
    finally:
        model.eval()
    return history


def _parameters(optimiser: torch.optim.Optimizer, model: nn.Module) -> list[nn.Parameter]:
    """What the optimiser changes; refused unless all of it belongs to the model."""
    known = set(map(id, model.parameters()))
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    foreign = [parameter for parameter in parameters if id(parameter) not in known]
    if foreign:
        shapes = ", ".join(str(tuple(parameter.shape)) for parameter in foreign[:3]) + ", …" * (len(foreign) > 3)
        got = f"{len(foreign)} tensor{'s' * (len(foreign) > 1)} of another model (of shape {shapes})"
        raise ValueError(f"optimiser: got {got}, expected an optimiser of this model's parameters")
    return parameters


def _watched() -> bool:
    """Whether a person sees the bar: at a terminal, or in a notebook that somebody could answer (nbval cannot)."""
    shell = get_ipython()
    if kernel := getattr(shell, "kernel", None):
        return getattr(kernel, "_allow_stdin", True)
    return sys.stdout.isatty()


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
