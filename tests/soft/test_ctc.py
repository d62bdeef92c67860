"""CTC agrees with the sum over all paths and with torch, in values and gradients; what cannot be said has no path."""

from itertools import product

import pytest
import torch
from torch.nn import functional as F

from attend.soft import ctc


def made(B=3, T=9, V=5, L=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(B, T, V, generator=generator, dtype=torch.double, requires_grad=True)
    mask = torch.arange(T) < torch.arange(T, T - B, -1)[:, None]
    asked = torch.arange(L) < torch.tensor([1 + b % L for b in range(B, 0, -1)])[:, None]
    target = torch.randint(1, V, (B, L), generator=generator) * asked
    return logits, mask, target, asked


def by_enumeration(log_probs, target):
    """The probability of all paths that collapse to `target`, added up one by one."""
    T, V = log_probs.shape
    paths = (torch.tensor(path) for path in product(range(V), repeat=T))
    return sum(log_probs[range(T), path].sum().exp() for path in paths if ctc.collapse(path) == target)


def test_repeats_are_merged_before_blanks_are_dropped():
    assert ctc.collapse(torch.tensor([0, 4, 4, 0, 4, 8, 8, 0])) == [4, 4, 8]
    assert ctc.collapse(torch.tensor([4, 4, 4, 8])) == [4, 8]
    assert ctc.collapse(torch.tensor([0, 0])) == []


@pytest.mark.parametrize("target", [[1], [1, 2], [1, 1], [2, 1, 2], [1, 1, 2], [1, 1, 1]])
def test_same_as_all_paths_one_by_one(target):
    logits = torch.randn(1, 5, 3, generator=torch.Generator().manual_seed(1), dtype=torch.double)
    log_probs, labels = logits.log_softmax(2), torch.tensor([target])
    loss = ctc.ctc_loss(
        log_probs, torch.ones(1, 5, dtype=torch.bool), labels, torch.ones_like(labels, dtype=torch.bool)
    )
    torch.testing.assert_close(loss[0].neg().exp(), torch.as_tensor(by_enumeration(log_probs[0], target)))


@pytest.mark.parametrize("seed", range(4))
def test_same_as_torch_in_values_and_gradients(seed):
    logits, mask, target, asked = made(seed=seed)
    if seed == 3:
        target[target > 0] = 2  # all alike
    ours = ctc.ctc_loss(logits.log_softmax(2), mask, target, asked)
    theirs = F.ctc_loss(logits.log_softmax(2).transpose(0, 1), target, mask.sum(1), asked.sum(1), reduction="none")
    torch.testing.assert_close(ours, theirs)
    mine, other = (torch.autograd.grad(loss.sum(), logits)[0] for loss in (ours, theirs))
    torch.testing.assert_close(mine, other)


def test_its_gradient_is_that_of_finite_differences():
    logits, mask, target, asked = made(B=2, T=6, V=4, L=3)
    assert torch.autograd.gradcheck(lambda z: ctc.ctc_loss(z.log_softmax(2), mask, target, asked), logits)


def test_the_mean_loss_is_torchs():
    logits, mask, target, asked = made()
    log_probs = logits.log_softmax(2)
    theirs = F.ctc_loss(log_probs.transpose(0, 1), target, mask.sum(1), asked.sum(1))
    torch.testing.assert_close(ctc.CTCLoss()(log_probs, mask, target, asked), theirs)


@pytest.mark.parametrize("labels", [[1, 2, 1], [3, 3, 3], [2]])
def test_at_every_frame_the_nodes_share_the_same_total_and_posteriors_are_the_gradient(labels):
    logits = torch.randn(8, 4, generator=torch.Generator().manual_seed(2), dtype=torch.double, requires_grad=True)
    target = torch.tensor(labels)
    alpha, beta, posterior = ctc.forward_backward(logits.log_softmax(1), target)
    everything = torch.ones(1, 8, dtype=torch.bool), target[None], torch.ones(1, len(labels), dtype=torch.bool)
    loss = ctc.ctc_loss(logits.log_softmax(1)[None], *everything)[0]
    torch.testing.assert_close((alpha + beta).logsumexp(1), -loss.expand(8))
    tokens, _ = ctc.lattice(target[None])
    of_token = torch.zeros(8, 4, dtype=torch.double).index_add_(1, tokens[0], posterior.detach())
    (gradient,) = torch.autograd.grad(loss, logits)
    torch.testing.assert_close(gradient, logits.softmax(1).detach() - of_token)


@pytest.mark.parametrize(("labels", "T"), [([1, 2, 3], 2), ([1, 1], 2), ([2, 2, 2], 4)])
def test_what_needs_more_frames_than_there_are_has_probability_zero(labels, T):
    target = torch.tensor([labels])
    asked = torch.ones_like(target, dtype=torch.bool)
    logits = torch.zeros(1, T, 4, requires_grad=True)
    loss = ctc.ctc_loss(logits.log_softmax(2), torch.ones(1, T, dtype=torch.bool), target, asked)
    assert loss.item() == torch.inf
    one_more = torch.zeros(1, T + 1, 4).log_softmax(2)
    assert ctc.ctc_loss(one_more, torch.ones(1, T + 1, dtype=torch.bool), target, asked).isfinite().all()


def test_what_stands_in_the_padding_changes_nothing():
    torch.manual_seed(0)
    model = ctc.Recogniser(5, 4, 6)
    x, mask = torch.randn(2, 9, 5), torch.arange(9) < torch.tensor([[9], [6]])
    log_probs, shorter = model(x, mask)
    assert log_probs.shape == (2, 5, 4)
    assert shorter.sum(1).tolist() == [5, 3]
    alone, _ = model(x[1:, :6], mask[1:, :6])
    torch.testing.assert_close(log_probs[1, :3], alone[0])
    other, _ = model(x.masked_fill(~mask[..., None], 7.0), mask)
    torch.testing.assert_close(log_probs[shorter], other[shorter])


def test_the_best_path_may_not_say_the_likeliest_labels():
    log_probs = torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log()
    assert ctc.best_path(log_probs) == []
    assert ctc.prefix_beam_search(log_probs) == [1]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 6))])
def test_a_wide_beam_finds_the_likeliest_labels(seed):
    log_probs = torch.randn(5, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.double).log_softmax(1)
    said = {tuple(ctc.collapse(torch.tensor(path))) for path in product(range(3), repeat=5)}
    best = max(said, key=lambda labels: by_enumeration(log_probs, list(labels)))
    assert tuple(ctc.prefix_beam_search(log_probs, 1_000)) == best


LOSS = ctc.CTCLoss()


def calls():
    logits, mask, target, asked = made(B=2, T=6, V=4, L=3)
    given = {"log_probs": logits.detach().log_softmax(2), "mask": mask, "target": target, "asked": asked}
    model = ctc.Recogniser(5, 4, 6)
    one = {"log_probs": given["log_probs"][0]}
    heard = {"x": torch.zeros(2, 7, 5), "mask": torch.arange(7) < torch.tensor([[7], [3]])}
    return {
        ctc.collapse: {"path": torch.tensor([1, 1, 0])},
        ctc.lattice: {"target": torch.tensor([[1, 2]])},
        ctc.ctc_loss: given,
        LOSS.forward: given,
        ctc.forward_backward: one | {"target": torch.tensor([1, 2])},
        ctc.Recogniser: {"bands": 5, "vocab_size": 4, "hidden_size": 6},
        model.encode: heard,
        model.forward: heard,
        ctc.best_path: one,
        ctc.prefix_beam_search: one | {"width": 3},
    }


def good():
    return {LOSS.forward: {"log_probs": {"width"}}, ctc.ctc_loss: {"log_probs": {"width"}}}
