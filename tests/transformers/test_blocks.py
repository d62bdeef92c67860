"""Blocks beside torch's encoder and decoder layers, pre-norm and post-norm; step by step beside all at once."""

import pytest
import torch
from benchmarks.twin import layer_twin
from tests.agreement import agree

from attend.transformers.blocks import DecoderBlock, EncoderBlock
from attend.transformers.self_attention import causal_mask

B, T, S, D, HEADS, FF = 3, 4, 5, 8, 2, 12
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(block):
    """The block in double precision with no weight left at zero or one."""
    block = block.double()
    with torch.no_grad():
        for seed, part in enumerate(block.parameters()):
            part.add_(0.1 * torch.randn(part.shape, generator=seeded(seed), dtype=part.dtype))
    return block


def vectors(count, seed):
    return torch.randn(B, count, D, generator=seeded(seed), dtype=torch.float64).requires_grad_()


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_an_encoder_block_is_that_of_torch(norm, masked):
    ours, x = drawn(EncoderBlock(D, HEADS, FF, norm=norm, generator=seeded())), vectors(S, 1)
    theirs = layer_twin(ours)
    hidden = {"src_key_padding_mask": ~MASK} if masked else {}
    agree(ours(x, MASK[:, None, None] if masked else None), theirs(x, **hidden), [x])


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_decoder_block_is_that_of_torch(norm, masked):
    ours = drawn(DecoderBlock(D, HEADS, FF, norm=norm, generator=seeded()))
    x, memory, mask = vectors(T, 1), vectors(S, 2), MASK[:, None, None] if masked else None
    theirs = layer_twin(ours)
    hidden = {"tgt_mask": ~causal_mask(T), "memory_key_padding_mask": ~MASK if masked else None}
    agree(ours(x, memory, causal_mask(T), mask), theirs(x, memory, **hidden), [x, memory])


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_step_by_step_is_all_at_once(norm):
    ours = drawn(DecoderBlock(D, HEADS, FF, norm=norm, generator=seeded()))
    x, memory, mask, past, got = vectors(T, 1), vectors(S, 2), MASK[:, None, None], None, []
    cache = ours.cross_attn.keys_values(memory)
    for t in range(T):
        output, past = ours.step(x[:, t : t + 1], past, cache, mask)
        got.append(output)
        assert past.key.shape == (B, HEADS, t + 1, D // HEADS)
    torch.testing.assert_close(torch.cat(got, dim=1), ours(x, memory, causal_mask(T), mask))


def test_dropout_acts_in_training_alone():
    block, x = EncoderBlock(D, HEADS, FF, dropout=0.5, generator=seeded()), vectors(S, 1).float()
    torch.manual_seed(0)
    assert not torch.allclose(block(x), block(x))
    assert torch.equal(block.eval()(x), block(x))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: EncoderBlock(D, HEADS, FF, norm="between"), "norm: got 'between'"),
        (lambda: EncoderBlock(D, HEADS, FF, dropout=1.0), "dropout: got 1.0"),
        (lambda: EncoderBlock(D, HEADS, 0), "d_ff: got 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    X = torch.ones(2, 3, 4)
    SOURCE = torch.ones(2, 5, 4)
    PADDING = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    DRAW = {"generator": torch.Generator()}
    SIZES = {"d_model": 4, "num_heads": 2, "d_ff": 3, "dropout": 0.1, "norm": "post", **DRAW}
    CROSS = {"x": X, "memory": SOURCE, "mask": causal_mask(3), "memory_mask": PADDING}
    return {
        EncoderBlock: SIZES,
        EncoderBlock(4, 2, 3).forward: {"x": SOURCE, "mask": PADDING},
        DecoderBlock: SIZES,
        DecoderBlock(4, 2, 3).forward: CROSS,
    }


def good():
    ZERO = {"dropout": {"zero"}}
    return {
        EncoderBlock: ZERO,
        DecoderBlock: ZERO,
    }
