"""The recurrent units beside torch.nn.RNN, GRU and LSTM: the same weights, the same input, the same gradients."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor, nn

from attend.fast import fast
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN
from benchmarks.case import Case
from benchmarks.twin import twin

UNITS = {"RNN": (RNN, nn.RNN), "GRU": (GRU, nn.GRU), "LSTM": (LSTM, nn.LSTM)}
PASSES = ("forward", "forward+backward")
RATIO = "ours / torch"
BASE = {"B": 64, "T": 100, "H": 128}
LENGTHS = (25, 50, 100, 200, 400)
OTHER_WIDTHS = (32, 64, 256)


class Sequence(Case):
    """One comparison: which unit, which pass, B sequences of T steps, input and summary of width H."""

    def build(self) -> tuple[nn.Module, nn.Module, Tensor]:
        """Ours, torch's with our weights, and an input (B, T, H) that asks for its gradient."""
        generator = torch.Generator().manual_seed(0)
        own, other = UNITS[self.unit]
        ours = fast(own(self.H, self.H, generator=generator))
        theirs = twin(other, ours.from_input.weight, ours.from_hidden.weight, ours.from_input.bias)
        x = torch.randn(self.B, self.T, self.H, generator=generator, requires_grad=True)
        return ours, theirs, x

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed."""
        ours, theirs, x = self.build()
        run = _forward if self.does == "forward" else _both
        other = partial(run, theirs, x)
        return partial(run, ours, x), other if self.fused else partial(_unfused, other)


def _forward(model: Callable, x: Tensor) -> Tensor:
    with torch.no_grad():
        return model(x)[0]


def _both(model: Callable, x: Tensor) -> Tensor:
    x.grad = None
    y = model(x)[0]
    y.sum().backward()
    return x.grad


def _unfused(run: Callable) -> Tensor:
    with torch.backends.mkldnn.flags(enabled=False):
        return run()


def cases() -> Iterator[Sequence]:
    """Every unit and pass at the base size, as T grows and as H grows; the LSTM also without oneDNN."""
    sizes = [{**BASE, "T": T} for T in LENGTHS] + [{**BASE, "H": H} for H in OTHER_WIDTHS]
    for size in sizes:
        for unit in UNITS:
            for does in PASSES:
                yield Sequence(unit, does, **size)
        yield Sequence("LSTM", "forward+backward", **size, fused=False)
