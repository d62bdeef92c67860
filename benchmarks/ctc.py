"""The CTC loss as the page lists it, and over rescaled probabilities, beside torch's kernel."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.fast.ctc import ctc_loss_scaled
from attend.soft.ctc import ctc_loss
from benchmarks.case import Case

UNITS = {"listing": ctc_loss, "rescaled": ctc_loss_scaled}
BASE = {"B": 16, "T": 100, "H": 30}
"""16 answers of 20 labels to T frames; the width H of a frame is the number of tokens."""
LENGTHS = (50, 100, 200, 400)
LABELS = 20
RATIO = "ours / torch"


class Loss(Case):
    """One comparison: which way, B rows of T frames with H tokens each, from the logits to their gradient."""

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed; each gives the losses (B) and the gradient (B, T, H)."""
        generator = torch.Generator().manual_seed(0)
        logits = torch.randn(self.B, self.T, self.H, generator=generator, requires_grad=True)
        target = torch.randint(1, self.H, (self.B, LABELS), generator=generator)
        given = torch.ones(self.B, self.T, dtype=torch.bool), target, torch.ones_like(target, dtype=torch.bool)
        return partial(_both, UNITS[self.unit], logits, given), partial(_both, by_torch, logits, given)


def by_torch(log_probs: Tensor, mask: Tensor, target: Tensor, asked: Tensor) -> Tensor:
    """The losses (B) by torch's kernel."""
    return F.ctc_loss(log_probs.transpose(0, 1), target, mask.sum(1), asked.sum(1), reduction="none")


def _both(loss: Callable, logits: Tensor, given: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    losses = loss(logits.log_softmax(dim=2), *given)
    return losses.detach(), torch.autograd.grad(losses.sum(), logits)[0]


def cases() -> Iterator[Loss]:
    """Each way, as the recordings grow."""
    for T in LENGTHS:
        for unit in UNITS:
            yield Loss(unit, "forward+backward", **{**BASE, "T": T})
