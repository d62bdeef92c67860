"""What a step of training costs, counted before it is taken: on torch's device `meta` tensors have shapes alone.

So a model of a hundred billion weights is built and takes a step on a laptop, in seconds. What is counted is exact for
products of matrices, attention and convolutions, which is nearly all of it (torch.utils.flop_counter); a multiplication
and an addition are two operations.

Source   Kaplan et al. 2020, arXiv:2001.08361, section 2.1: about 6 operations for each weight and token.
Agrees   the count by hand of two layers; the published sizes of models (tests/recipes/test_sizes.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attend.core.expect import checked
from attend.core.types import Positive


@dataclass(frozen=True)
class Cost:
    """A step on one batch, on one device: numbers that are learned, operations, and bytes.

    `activations` is what the pass forward keeps for the pass back; torch's fused kernels of attention keep less of it.
    `last` is the copy of the last good weights that `fit` keeps, `adam` the two averages of Adam.
    """

    parameters: int
    forward: int
    backward: int
    weights: int
    last: int
    gradients: int
    adam: int
    activations: int

    @property
    def flops(self) -> int:
        """Operations of the step, forward and back."""
        return self.forward + self.backward

    @property
    def memory(self) -> int:
        """Bytes in all."""
        return self.weights + self.last + self.gradients + self.adam + self.activations

    @checked
    def rule_of_thumb(self, tokens: Positive) -> int:
        """6 operations for each weight and token."""
        return 6 * self.parameters * tokens


@checked
def on_meta(make: Callable[[], Any]) -> Any:
    """What `make()` makes, a model or a batch, as shapes without values."""
    with torch.device("meta"):
        return make()


@checked
def cost(model: nn.Module, loss: Callable[[nn.Module, Any], Tensor], batch: Any) -> Cost:
    """Take one step's loss and gradients, and count. The model and the batch are best on `meta`.

    Raises ValueError when a weight gets no gradient, or one of another shape.
    """
    learned = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    own = {_storage(value) for value in model.state_dict().values()}
    kept: dict[int, torch.UntypedStorage] = {}

    def keep(value: Tensor) -> Tensor:
        kept[_storage(value)] = value.untyped_storage()
        return value

    model.zero_grad(set_to_none=True)
    with FlopCounterMode(display=False) as counter:
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda value: value):
            value = loss(model, batch)
        forward = counter.get_total_flops()
        activations = sum(storage.nbytes() for place, storage in kept.items() if place not in own)
        value.backward()
    odd = [name for name, weight in learned.items() if weight.grad is None or weight.grad.shape != weight.shape]
    if odd:
        raise ValueError(f"model: got no gradient of {', '.join(odd)}, expected one for every weight that is learned")
    gradients = sum(weight.grad.nbytes for weight in learned.values())
    model.zero_grad(set_to_none=True)
    buffers = sum(value.nbytes for value in model.buffers())
    return Cost(
        parameters=sum(weight.numel() for weight in learned.values()),
        forward=forward,
        backward=counter.get_total_flops() - forward,
        weights=sum(weight.nbytes for weight in model.parameters()) + buffers,
        last=sum(value.nbytes for value in model.state_dict().values()),
        gradients=gradients,
        adam=2 * gradients,
        activations=activations,
    )


def _storage(value: Tensor) -> int:
    """Where the values lie, which on meta have no address."""
    return value.untyped_storage()._cdata
