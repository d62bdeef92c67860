"""Attention in blocks beside torch's fused attention, whatever the size of a block."""

import pytest
import torch
from tests.agreement import agree
from torch.nn.functional import scaled_dot_product_attention

from attend.soft.blocks import attention_in_blocks

B, T, S, D, V = 3, 5, 7, 4, 6


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


MASKS = {
    "all": None,
    "by key": (torch.arange(S) < torch.tensor([[7], [2], [4]]))[:, None],
    "the last keys": (torch.arange(S) >= torch.tensor([[0], [5], [6]]))[:, None],
    "by query and key": torch.ones(1, T, S).tril(2).bool(),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("block", [1, 3, S, 100])
def test_values_and_gradients_are_those_of_torch(mask, block):
    inputs = [draw(B, *shape, seed=i).requires_grad_() for i, shape in enumerate([(T, D), (S, D), (S, V)])]
    mask = MASKS[mask]
    wanted = scaled_dot_product_attention(*inputs, None if mask is None else mask.expand(B, T, S))
    agree(attention_in_blocks(*inputs, mask, block), wanted, inputs, rtol=0, atol=1e-12)


def test_large_scores_do_not_overflow():
    query, key, value = 1e3 * draw(1, 2, D, seed=1).float(), 1e3 * draw(1, S, D, seed=2).float(), draw(1, S, V).float()
    wanted = scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(attention_in_blocks(query, key, value, block=2), wanted)


def test_what_is_masked_changes_nothing():
    mask = MASKS["by key"]
    key, other = (torch.where(mask.mT, draw(B, S, D, seed=1), filling) for filling in (0.0, 1e6))
    query, value = draw(B, T, D, seed=2), draw(B, S, V, seed=3)
    assert torch.equal(*(attention_in_blocks(query, k, value, mask, 2) for k in (key, other)))


def test_second_derivatives_are_right():
    inputs = [draw(2, *shape, seed=i).requires_grad_() for i, shape in enumerate([(3, 4), (5, 4), (5, 2)])]
    assert torch.autograd.gradgradcheck(lambda *given: attention_in_blocks(*given, None, 2), inputs)


def test_a_row_that_may_attend_to_nothing_is_refused():
    with pytest.raises(ValueError, match="mask: got"):
        attention_in_blocks(draw(B, T, D), draw(B, S, D), draw(B, S, V), torch.zeros(B, 1, S, dtype=torch.bool))


def calls():
    return {
        attention_in_blocks: {
            "query": torch.ones(2, 4, 3),
            "key": torch.ones(2, 5, 3),
            "value": torch.ones(2, 5, 6),
            "mask": torch.ones(2, 1, 5, dtype=torch.bool),
            "block": 10,
        },
    }
