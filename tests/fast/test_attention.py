"""Fused attention beside the listings: values and gradients, masks, precisions, autocast; no second derivatives."""

import copy

import pytest
import torch
from tests.agreement import agree

from attend.fast import fast
from attend.fast.attention import FastCausalSelfAttention, FastMultiHeadAttention
from attend.transformers.blocks import DecoderBlock, EncoderBlock
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.self_attention import causal_mask
from attend.transformers.tiny_transformer import CausalSelfAttention, TinyTransformer
from attend.transformers.translator import Transformer

B, T, S, D, HEADS = 3, 5, 7, 16, 2
PADDING = (torch.arange(S) < torch.tensor([[7], [3], [1]]))[:, None, None]
MASKS = {"none": None, "padding": PADDING, "both": PADDING & causal_mask(T, S)}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def pair(make, dtype=torch.float64):
    """A listing and its fast copy."""
    ours = make(seeded()).to(dtype)
    return ours, fast(copy.deepcopy(ours))


def vectors(count, seed, dtype=torch.float64):
    return torch.randn(B, count, D, generator=seeded(seed)).to(dtype).requires_grad_()


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_cross_attention_is_that_of_the_listing(mask, dtype):
    ours, quick = pair(lambda g: MultiHeadAttention(D, HEADS, g), dtype)
    x, memory = vectors(T, 1, dtype), vectors(S, 2, dtype)
    agree(quick(x, memory, MASKS[mask]), ours(x, memory, MASKS[mask]), [x, memory])


@pytest.mark.parametrize("mask", [None, causal_mask(T)])
def test_self_attention_is_that_of_the_listing_in_the_gradients_of_all_weights(mask):
    ours, quick = pair(lambda g: MultiHeadAttention(D, HEADS, g))
    x, pull = vectors(T, 1), vectors(T, 3).detach()
    wanted, got = (
        torch.autograd.grad((model(x, mask=mask) * pull).sum(), [x, *model.parameters()]) for model in (ours, quick)
    )
    torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize(
    "make",
    [
        lambda g: CausalSelfAttention(D, HEADS),
        lambda g: EncoderBlock(D, HEADS, 4 * D, norm="post", generator=g),
        lambda g: EncoderBlock(D, HEADS, 4 * D, generator=g),
    ],
)
def test_what_is_made_of_attention_is_that_of_the_listing(make):
    ours, quick = pair(make)
    x, pull = vectors(T, 1), vectors(T, 3).detach()
    agree(quick(x), ours(x), [x])
    wanted, got = (torch.autograd.grad((model(x) * pull).sum(), [*model.parameters()]) for model in (ours, quick))
    torch.testing.assert_close(got, wanted)


def test_a_decoder_block_decodes_step_by_step():
    ours, quick = pair(lambda g: DecoderBlock(D, HEADS, 4 * D, generator=g))
    x, memory, past = vectors(T, 1), vectors(S, 2), None
    agree(quick(x, memory, causal_mask(T), PADDING), ours(x, memory, causal_mask(T), PADDING), [x, memory])
    cache, got = quick.cross_attn.keys_values(memory), []
    for t in range(T):
        output, past = quick.step(x[:, t : t + 1], past, cache, PADDING)
        got.append(output)
    torch.testing.assert_close(torch.cat(got, dim=1), ours(x, memory, causal_mask(T), PADDING))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_under_autocast_it_is_as_near_as_the_listing(dtype):
    ours, quick = pair(lambda g: MultiHeadAttention(D, HEADS, g), torch.float32)
    x = vectors(T, 1, torch.float32)
    exact = ours(x)
    with torch.autocast("cpu", dtype=dtype):
        rough, got = ours(x), quick(x)
    assert got.dtype == rough.dtype
    near = {torch.bfloat16: 2e-2, torch.float16: 3e-3}[dtype]
    for output in (rough, got):
        torch.testing.assert_close(output.float(), exact, atol=near, rtol=near)


def test_gradients_arrive_by_backward_of_chosen_inputs():
    ours, quick = pair(lambda g: MultiHeadAttention(D, HEADS, g))
    x = vectors(T, 1)
    quick(x).sum().backward(inputs=[quick.q_proj.weight])
    ours(x).sum().backward()
    torch.testing.assert_close(quick.q_proj.weight.grad, ours.q_proj.weight.grad)
    assert x.grad is not None
    assert quick.k_proj.weight.grad is None


def test_second_derivatives_are_refused_by_the_fast_and_right_by_the_listing():
    ours, quick = pair(lambda g: MultiHeadAttention(4, 1, g))
    x = torch.randn(1, 2, 4, generator=seeded(1), dtype=torch.float64)
    assert torch.autograd.functional.hessian(lambda x: ours(x).sum(), x).abs().max() > 0
    with pytest.raises(RuntimeError, match=r"no second derivatives: .* before attend\.fast\.fast"):
        torch.autograd.functional.hessian(lambda x: quick(x).sum(), x)
    x.requires_grad_()
    with pytest.raises(RuntimeError, match="no second derivatives"):
        torch.autograd.grad(quick(x).sum(), x, create_graph=True)


def test_a_row_that_may_attend_to_nothing_is_refused_by_both():
    for model in pair(lambda g: MultiHeadAttention(D, HEADS, g)):
        with pytest.raises(ValueError, match="mask: got"):
            model(vectors(T, 1), mask=causal_mask(T) & False)


def test_fast_is_the_same_model():
    ours, quick = pair(lambda g: Transformer(7, 6, 8, 2, 12, generator=g), torch.float32)
    assert ours.state_dict().keys() == quick.state_dict().keys()
    kinds = [type(part) for part in quick.modules() if isinstance(part, MultiHeadAttention)]
    assert kinds == [FastMultiHeadAttention] * 6
    source, mask = torch.tensor([[1, 2, 3], [4, 0, 0]]), torch.tensor([[True] * 3, [True, False, False]])
    torch.testing.assert_close(quick(source, mask, source), ours(source, mask, source))
    assert torch.equal(quick.generate(source, mask, 5), ours.generate(source, mask, 5))
    tiny = fast(TinyTransformer(7, 8, 2))
    assert all(isinstance(block.self_attn, FastCausalSelfAttention) for block in tiny.blocks)
