"""A gated update unrolled: beside the loop, beside the unit of the gating part, and beside what the lecture prints."""

import pytest
import torch
from tests.agreement import agree

from attend.transformers.gates import (
    gate_weights,
    gate_weights_as_printed,
    gated_update,
    softmax_update,
    unrolled_update,
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


UPDATE = torch.rand(2, 6, 3, generator=seeded(), dtype=torch.float64)
CANDIDATE = torch.randn(2, 6, 3, generator=seeded(1), dtype=torch.float64)


def test_unrolled_is_recursive_in_values_and_gradients():
    update, candidate = UPDATE.clone().requires_grad_(), CANDIDATE.clone().requires_grad_()
    agree(gated_update(update, candidate), unrolled_update(update, candidate), [update, candidate], atol=1e-12, rtol=0)


def test_shares_are_worked_by_hand():
    update = torch.tensor([0.5, 0.25, 0.5]).view(1, 3, 1)
    expected = [[0.5, 0, 0], [0.125, 0.75, 0], [0.0625, 0.375, 0.5]]
    torch.testing.assert_close(gate_weights(update)[0, :, :, 0], torch.tensor(expected))


def test_shares_and_what_is_left_of_the_start_add_up_to_one():
    left = UPDATE.cumprod(1)
    torch.testing.assert_close(gate_weights(UPDATE).sum(2) + left, torch.ones_like(left))


def test_the_printed_shares_are_others():
    assert (gate_weights_as_printed(UPDATE) - gate_weights(UPDATE)).abs().amax() > 0.1
    update = torch.tensor([0.5, 0.25]).view(1, 2, 1)
    torch.testing.assert_close(gate_weights_as_printed(update)[0, :, :, 0], torch.tensor([[0.5, 0.0], [0.125, 0.5]]))


def test_freed_weights_are_those_of_attention_up_to_now():
    scores = torch.randn(2, 6, 6, generator=seeded(3), dtype=torch.float64)
    hidden, weights = softmax_update(scores, CANDIDATE)
    for t in range(6):
        alone = scores[:, t, : t + 1].softmax(1)
        torch.testing.assert_close(hidden[:, t], (alone[..., None] * CANDIDATE[:, : t + 1]).sum(1))
    assert weights.triu(1).abs().max() == 0


def test_scores_that_are_logs_of_shares_give_the_gated_update_back():
    update = UPDATE[:, :, :1].clone()
    update[:, 0] = 0
    hidden, _ = softmax_update(gate_weights(update)[..., 0].clamp(min=1e-300).log(), CANDIDATE)
    torch.testing.assert_close(hidden, gated_update(update.expand_as(CANDIDATE), CANDIDATE))


@pytest.mark.parametrize("call", [gate_weights, gate_weights_as_printed])
def test_what_is_no_gate_is_refused(call):
    with pytest.raises(ValueError, match="update: got"):
        call(UPDATE + 1)


def calls():
    X = torch.ones(2, 3, 4)
    UPDATE = torch.full((2, 3, 4), 0.5)
    return {
        gated_update: {"update": UPDATE, "candidate": X},
        gate_weights: {"update": UPDATE},
        gate_weights_as_printed: {"update": UPDATE},
        unrolled_update: {"update": UPDATE, "candidate": X},
        softmax_update: {"scores": torch.ones(2, 3, 3), "candidate": X},
    }
