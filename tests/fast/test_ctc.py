"""The fast losses are the loss, in value and gradient."""

import pytest
import torch

from attend.fast import fast
from attend.fast.ctc import FastCTCLoss, ctc_loss_scaled, forward_backward_scaled
from attend.soft.ctc import CTCLoss, ctc_loss, forward_backward


def made(seed):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(3, 12, 6, generator=generator, dtype=torch.double, requires_grad=True)
    mask = torch.arange(12) < torch.tensor([[12], [9], [11]])
    asked = torch.arange(4) < torch.tensor([[4], [1], [3]])
    target = torch.randint(1, 6, (3, 4), generator=generator) * asked
    target[0, :2] = 2
    return logits, mask, target, asked


@pytest.mark.parametrize("seed", range(3))
def test_same_in_value_and_gradient(seed):
    logits, mask, target, asked = made(seed)
    slow, quick = CTCLoss(), fast(CTCLoss())
    assert type(quick) is FastCTCLoss
    losses = [one(logits.log_softmax(2), mask, target, asked) for one in (slow, quick)]
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in losses))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("times", [1, 20])
def test_the_rescaled_loss_is_the_same_in_value_and_gradient(seed, times):
    logits, mask, target, asked = made(seed)
    losses = [one((times * logits).log_softmax(2), mask, target, asked) for one in (ctc_loss, ctc_loss_scaled)]
    torch.testing.assert_close(*losses)
    weights = torch.tensor([1.0, -2.0, 0.5]).double()
    torch.testing.assert_close(*(torch.autograd.grad(loss @ weights, logits)[0] for loss in losses))


def test_the_rescaled_loss_of_a_long_recording_in_single_precision():
    logits = torch.randn(2, 1_000, 30, generator=torch.Generator().manual_seed(0))
    given = torch.ones(2, 1_000, dtype=torch.bool), torch.arange(1, 21).expand(2, -1), torch.ones(2, 20).bool()
    found = []
    for loss, x in ((ctc_loss, logits.double().requires_grad_()), (ctc_loss_scaled, logits.clone().requires_grad_())):
        losses = loss(x.log_softmax(2), *given)
        found.append((losses.float(), torch.autograd.grad(losses.sum(), x)[0].float()))
    torch.testing.assert_close(*found, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("few", [1, 300, 600])
def test_frames_taken_a_few_at_a_time_change_nothing(monkeypatch, few):
    logits, mask, target, asked = made(1)
    whole = forward_backward_scaled(logits.detach().log_softmax(2), mask, target, asked)
    monkeypatch.setattr("attend.fast.ctc.FEW", few)
    torch.testing.assert_close(forward_backward_scaled(logits.detach().log_softmax(2), mask, target, asked), whole)


def test_posteriors_are_those_of_the_lattice():
    logits, mask, target, asked = made(0)
    log_probs = logits.detach().log_softmax(2)
    _, posterior = forward_backward_scaled(log_probs, mask, target, asked)
    for b in range(3):
        labels = target[b][asked[b]]
        gamma = forward_backward(log_probs[b][mask[b]], labels)[2]
        rows = torch.zeros(2 * len(labels) + 1, dtype=torch.long)
        rows[1::2] = labels
        expected = torch.zeros_like(log_probs[b])
        expected[mask[b]] = gamma.new_zeros(len(gamma), 6).index_add(1, rows, gamma)
        torch.testing.assert_close(posterior[b], expected)


def test_what_no_path_can_say():
    log_probs = torch.zeros(2, 3, 4).log_softmax(2).requires_grad_()
    given = torch.ones(2, 3, dtype=torch.bool), torch.tensor([[1, 1, 2], [1, 2, 3]]), torch.ones(2, 3).bool()
    loss = ctc_loss_scaled(log_probs, *given)
    assert loss[0] == torch.inf
    torch.testing.assert_close(loss[1], ctc_loss(log_probs, *given)[1])
    assert torch.autograd.grad(loss[1], log_probs)[0].isfinite().all()
    with pytest.raises(ValueError, match="target: got"):
        ctc_loss_scaled(log_probs, given[0], given[1] + 2, given[2])


def calls():
    given = {
        "log_probs": torch.zeros(2, 6, 4).log_softmax(2),
        "mask": torch.arange(6) < torch.tensor([[6], [5]]),
        "target": torch.tensor([[1, 2], [3, 0]]),
        "asked": torch.tensor([[True, True], [True, False]]),
    }
    return {FastCTCLoss().forward: given, ctc_loss_scaled: given, forward_backward_scaled: given}
