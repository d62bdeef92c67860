"""The fast loss is the loss, in value and gradient."""

import pytest
import torch

from attend.fast import fast
from attend.fast.ctc import FastCTCLoss
from attend.soft.ctc import CTCLoss


@pytest.mark.parametrize("seed", range(3))
def test_same_in_value_and_gradient(seed):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(3, 12, 6, generator=generator, dtype=torch.double, requires_grad=True)
    mask = torch.arange(12) < torch.tensor([[12], [9], [11]])
    asked = torch.arange(4) < torch.tensor([[4], [1], [3]])
    target = torch.randint(1, 6, (3, 4), generator=generator) * asked
    target[0, :2] = 2
    slow, quick = CTCLoss(), fast(CTCLoss())
    assert type(quick) is FastCTCLoss
    losses = [one(logits.log_softmax(2), mask, target, asked) for one in (slow, quick)]
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in losses))


def calls():
    given = {
        "log_probs": torch.zeros(2, 6, 4).log_softmax(2),
        "mask": torch.arange(6) < torch.tensor([[6], [5]]),
        "target": torch.tensor([[1, 2], [3, 0]]),
        "asked": torch.tensor([[True, True], [True, False]]),
    }
    return {FastCTCLoss().forward: given}
