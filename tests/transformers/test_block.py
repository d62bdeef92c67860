"""Blocks beside torch's encoder and decoder layers, normalised before and after; step by step beside all at once."""

import pytest
import torch
from benchmarks.twin import layer_twin, norm_twin
from tests.agreement import agree
from torch import nn

from attend.transformers.block import Beside, DecoderBlock, EncoderBlock, Normalise, Think
from attend.transformers.multihead import earlier

B, T, S, D, K, F = 3, 4, 5, 8, 2, 12
VISIBLE = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]).bool()


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


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("masked", [False, True])
def test_an_encoder_block_is_that_of_torch(order, masked):
    ours, x = drawn(EncoderBlock(D, K, F, order, generator=seeded())), vectors(S, 1)
    theirs = layer_twin(ours)
    agree(ours(x, VISIBLE if masked else None), theirs(x, src_key_padding_mask=~VISIBLE if masked else None), [x])


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_decoder_block_is_that_of_torch(order, masked):
    ours = drawn(DecoderBlock(D, K, F, order, generator=seeded()))
    x, memory, mask = vectors(T, 1), vectors(S, 2), VISIBLE if masked else None
    theirs = layer_twin(ours)
    hidden = {"tgt_mask": ~earlier(T), "memory_key_padding_mask": ~VISIBLE if masked else None}
    agree(ours(x, memory, earlier(T).expand(B, T, T), mask), theirs(x, memory, **hidden), [x, memory])


@pytest.mark.parametrize("order", ["before", "after", "none"])
def test_step_by_step_is_all_at_once(order):
    ours, x, memory = drawn(DecoderBlock(D, K, F, order, generator=seeded())), vectors(T, 1), vectors(S, 2)
    wanted, source, written, got = (
        ours(x, memory, earlier(T).expand(B, T, T), VISIBLE),
        ours.across.remember(memory),
        None,
        [],
    )
    for t in range(T):
        said, written, back, across = ours.step(x[:, t : t + 1], written, source, VISIBLE)
        got.append(said)
        assert back.shape == (B, K, 1, t + 1)
        torch.testing.assert_close(across.sum(-1), torch.ones(B, K, 1, dtype=torch.float64))
    torch.testing.assert_close(torch.cat(got, dim=1), wanted)


def test_normalise_is_that_of_torch():
    ours, x = drawn(Normalise(D)), vectors(T, 3)
    theirs = nn.LayerNorm(D).double()
    norm_twin(theirs, ours)
    agree(ours(x), theirs(x), [x])
    assert torch.autograd.gradcheck(lambda x, *_: ours(x), (x, ours.gain, ours.bias))


def test_without_a_residual_only_the_word_of_the_part_is_left():
    x = vectors(T, 4)
    assert torch.equal(Beside(D, "none", residual=False)(x, torch.zeros_like), torch.zeros_like(x))
    assert torch.equal(Beside(D, "none")(x, torch.zeros_like), x)


def test_what_is_left_out_by_chance_is_made_up_for_and_only_in_training():
    beside, x = Beside(D, "none", drop=0.5, residual=False), torch.ones(40, 50, D)
    torch.manual_seed(0)
    said = beside(x, lambda x: x)
    assert set(said.unique().tolist()) == {0.0, 2.0}
    assert said.mean().item() == pytest.approx(1, abs=0.05)
    assert torch.equal(beside.eval()(x, lambda x: x), x)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Beside(D, "between"), "order: got 'between'"),
        (lambda: Beside(D, drop=1.0), "drop: got 1.0"),
        (lambda: Normalise(0), "D: got 0"),
        (lambda: Normalise(4, 0.0), "least: got 0.0"),
        (lambda: Think(4, 0), "F: got 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
