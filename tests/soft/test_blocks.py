"""Reading by blocks beside torch's fused attention and beside reading at once, whatever the size of a block."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attend.soft.blocks import read_by_blocks
from attend.soft.read import read
from attend.soft.scores import scaled_dot

B, T, S, Q, K = 3, 5, 7, 4, 6
BLOCKS = (1, S, 3 * S, T * S, 2 * T * S, 10**6)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


MASKS = {
    "all": None,
    "by key": torch.arange(S) < torch.tensor([[7], [2], [4]]),
    "by query and key": torch.ones(B, T, S).tril(2).bool(),
}


def at_once(queries, keys, values, mask):
    return read(scaled_dot(queries, keys, {}), values, mask).context


def by_torch(queries, keys, values, mask):
    mask = mask if mask is None or mask.ndim == 3 else mask[:, None].expand(B, T, S)
    return scaled_dot_product_attention(queries, keys, values, mask)


@pytest.mark.parametrize("rival", [at_once, by_torch])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("block", BLOCKS)
def test_values_and_gradients_agree(rival, mask, block):
    found = []
    for way in (rival, lambda *given: read_by_blocks(*given, block)):
        inputs = [draw(B, *shape, seed=i).requires_grad_() for i, shape in enumerate([(T, Q), (S, Q), (S, K)])]
        context = way(*inputs, MASKS[mask])
        found.append((context, *torch.autograd.grad((context * draw(B, T, K, seed=9)).sum(), inputs)))
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-12)


def test_what_is_hidden_changes_nothing():
    mask = MASKS["by key"]
    found = []
    for filling in (0.0, 1e6):
        queries = draw(B, T, Q, seed=1).requires_grad_()
        keys, values = (torch.where(mask[..., None], draw(B, S, n, seed=n), filling) for n in (Q, K))
        context = read_by_blocks(queries, keys, values, mask, 2 * S)
        found.append((context, torch.autograd.grad(context.sum(), queries)[0]))
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


def test_gradcheck():
    inputs = [draw(2, *shape, seed=i).requires_grad_() for i, shape in enumerate([(3, 4), (5, 4), (5, 2)])]
    assert torch.autograd.gradcheck(lambda *given: read_by_blocks(*given, None, 6), inputs)


def test_a_row_that_may_look_nowhere_is_refused():
    queries, keys, values = draw(B, T, Q), draw(B, S, Q), draw(B, S, K)
    with pytest.raises(ValueError, match=r"mask: got .*, expected at least one visible place in every row"):
        read_by_blocks(queries, keys, values, torch.zeros(B, S, dtype=torch.bool))
