"""A gated update unrolled: beside the loop, beside the unit of the gating part, and beside what the lecture prints."""

import pytest
import torch
from tests.agreement import agree

from attend.soft.read import read
from attend.transformers.gates import as_printed, freed, recursive, shares, unrolled


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


KEEP = torch.rand(2, 6, 3, generator=seeded(), dtype=torch.float64)
CANDIDATES = torch.randn(2, 6, 3, generator=seeded(1), dtype=torch.float64)


def test_unrolled_is_recursive_in_values_and_gradients():
    keep, candidates = KEEP.clone().requires_grad_(), CANDIDATES.clone().requires_grad_()
    agree(recursive(keep, candidates), unrolled(keep, candidates), [keep, candidates], atol=1e-12, rtol=0)


def test_shares_are_worked_by_hand():
    keep = torch.tensor([0.5, 0.25, 0.5]).view(1, 3, 1)
    expected = [[0.5, 0, 0], [0.125, 0.75, 0], [0.0625, 0.375, 0.5]]
    torch.testing.assert_close(shares(keep)[0, :, :, 0], torch.tensor(expected))


def test_shares_and_what_is_left_of_the_start_add_up_to_one():
    left = KEEP.cumprod(1)
    torch.testing.assert_close(shares(KEEP).sum(2) + left, torch.ones_like(left))


def test_the_printed_shares_are_others():
    assert (as_printed(KEEP) - shares(KEEP)).abs().amax() > 0.1
    keep = torch.tensor([0.5, 0.25]).view(1, 2, 1)
    torch.testing.assert_close(as_printed(keep)[0, :, :, 0], torch.tensor([[0.5, 0.0], [0.125, 0.5]]))


def test_freed_weights_are_those_of_attention_up_to_now():
    scores = torch.randn(2, 6, 6, generator=seeded(3), dtype=torch.float64)
    found = freed(scores, CANDIDATES)
    for t in range(6):
        alone = read(scores[:, t : t + 1, : t + 1], CANDIDATES[:, : t + 1])
        torch.testing.assert_close(found.context[:, t], alone.context[:, 0])
    assert found.weights.triu(1).abs().max() == 0


def test_scores_that_are_logs_of_shares_give_the_gated_update_back():
    keep = KEEP[:, :, :1].clone()
    keep[:, 0] = 0
    found = freed(shares(keep)[..., 0].clamp(min=1e-300).log(), CANDIDATES)
    torch.testing.assert_close(found.context, recursive(keep.expand_as(CANDIDATES), CANDIDATES))


@pytest.mark.parametrize("call", [shares, as_printed])
def test_what_is_no_gate_is_refused(call):
    with pytest.raises(ValueError, match="keep: got"):
        call(KEEP + 1)
