"""Ways to be told of positions: formulas, scores of the distance alone, masks, and a model beside another one."""

import pytest
import torch

from attend.transformers.positioned import (
    POSITIONS,
    PositionedAttention,
    PositionedTransformer,
    angles,
    rotate,
    slopes,
)
from attend.transformers.positions import sinusoids
from attend.transformers.tiny_transformer import TinyTransformer


def test_hands_are_those_of_the_sinusoids():
    turned, waves = angles(7, 6), sinusoids(7, 6)
    torch.testing.assert_close(turned.sin(), waves[:, 0::2])
    torch.testing.assert_close(turned.cos(), waves[:, 1::2])


def test_a_rotated_score_depends_on_the_distance_alone():
    torch.manual_seed(0)
    q, k = torch.randn(2, 8).double()
    scores = rotate(q.expand(30, 8)) @ rotate(k.expand(30, 8)).T
    for distance in (-7, 0, 1, 12):
        along = scores.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), atol=1e-5, rtol=0)
    torch.testing.assert_close(scores[0, 0], q @ k)
    assert scores[5, 0] != scores[0, 5]


def test_a_rotation_keeps_lengths_and_turns_pairs_of_halves():
    x = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(3, 4)
    torch.testing.assert_close(
        rotate(x)[2],
        torch.tensor([2.0, 0.0, 2.0, 0.0]).cos() * torch.tensor([1.0, 0, 0, 0]) + torch.tensor([0, 0, 2.0, 0]).sin(),
    )
    torch.testing.assert_close(rotate(torch.ones(9, 6)).norm(dim=1), torch.full((9,), 6**0.5))


def test_slopes_are_those_of_the_paper_for_eight_heads():
    assert slopes(8).tolist() == pytest.approx([2.0**-n for n in range(1, 9)])


def test_linear_biases_prefer_what_is_near():
    attention = PositionedAttention(4, 1, "alibi").double()
    torch.nn.init.zeros_(attention.qkv.weight)
    torch.nn.init.zeros_(attention.qkv.bias)
    attention.qkv.weight.data[8:] = torch.eye(4)
    attention.out.weight.data, attention.out.bias.data = torch.eye(4).double(), torch.zeros(4).double()
    weights = attention(torch.eye(4).double()[None])[0]
    expected = torch.softmax(-torch.tensor([3.0, 2, 1, 0]).double() / 256, 0)
    torch.testing.assert_close(weights[3], expected)
    assert not weights.triu(1).any()


@pytest.mark.parametrize("positions", POSITIONS)
def test_nothing_later_is_seen_and_nothing_beyond_the_window(positions):
    torch.manual_seed(0)
    model = PositionedTransformer(10, 8, 2, positions=positions, context=12)
    tokens = torch.randint(10, (1, 12))
    other = tokens.clone()
    other[0, 5] = (other[0, 5] + 1) % 10
    moved = (model(tokens) - model(other)).abs().amax(2)[0] > 1e-6
    assert not moved[:5].any()
    assert moved[5]
    near = (model(tokens, window=3) - model(other, window=3)).abs().amax(2)[0] > 1e-6
    assert not near[8:].any()


def test_without_mask_and_positions_a_row_is_a_set():
    torch.manual_seed(0)
    model = PositionedTransformer(10, 8, 2, num_layers=2, positions="none", causal=False)
    tokens, order = torch.randint(10, (3, 7)), torch.randperm(7)
    torch.testing.assert_close(model(tokens)[:, order], model(tokens[:, order]))
    for positions in ("sinusoids", "alibi", "rope"):
        told = PositionedTransformer(10, 8, 2, positions=positions, causal=False)
        assert not torch.allclose(told(tokens)[:, order], told(tokens[:, order]), atol=1e-4)


def test_learned_positions_are_those_of_the_tiny_transformer():
    torch.manual_seed(0)
    ours = PositionedTransformer(11, 8, 2, 2, "learned", context=9)
    theirs = TinyTransformer(11, 8, 2, num_layers=2, context=9)
    theirs.token.load_state_dict(ours.token.state_dict())
    theirs.position.load_state_dict(ours.learned.state_dict())
    for block, (norm1, attention, norm2, feed_forward) in zip(theirs.blocks, ours.layers, strict=True):
        block.norm1, block.norm2, block.feed_forward = norm1, norm2, feed_forward
        block.self_attn.out_proj = attention.out
        for n, part in enumerate((block.self_attn.q_proj, block.self_attn.k_proj, block.self_attn.v_proj)):
            part.weight.data = attention.qkv.weight.data[8 * n : 8 * n + 8]
            part.bias.data = attention.qkv.bias.data[8 * n : 8 * n + 8]
    theirs.norm, theirs.output = ours.norm, ours.output
    tokens = torch.randint(11, (2, 9))
    torch.testing.assert_close(ours(tokens), theirs(tokens))


def test_with_rope_a_window_makes_a_long_row_as_good_as_a_short_one():
    torch.manual_seed(0)
    model = PositionedTransformer(10, 8, 2, positions="rope")
    tokens = torch.randint(10, (1, 40))
    far = model(tokens, window=6)[:, -1]
    torch.testing.assert_close(far, model(tokens[:, -6:])[:, -1], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: angles(3, 5), "d: got 5"),
        (lambda: angles(0, 4), "T: got 0"),
        (lambda: rotate(torch.ones(3, 5)), "x: got"),
        (lambda: slopes(0), "num_heads: got 0"),
        (lambda: PositionedAttention(6, 4), "num_heads: got 4"),
        (lambda: PositionedAttention(6, 2, "rope"), "d_model: got 6"),
        (lambda: PositionedAttention(6, 2, "waves"), "positions: got"),
        (lambda: PositionedTransformer(10, positions="waves"), "positions: got"),
        (
            lambda: PositionedTransformer(10, positions="learned", context=4)(torch.zeros(1, 5).long()),
            "at most 4 tokens",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    X, TOKENS = torch.ones(2, 3, 4), torch.ones(2, 3).long()
    ATTENTION, MODEL = PositionedAttention(4, 2, "alibi"), PositionedTransformer(5, 4, 2)
    return {
        angles: {"T": 3, "d": 4},
        rotate: {"x": X},
        slopes: {"num_heads": 2},
        PositionedAttention: {"d_model": 4, "num_heads": 2, "positions": "rope", "causal": False},
        ATTENTION.forward: {"x": X, "window": 2},
        PositionedTransformer: {
            "vocab_size": 5,
            "d_model": 4,
            "num_heads": 2,
            "num_layers": 1,
            "positions": "rope",
            "context": 6,
            "causal": True,
        },
        MODEL.forward: {"tokens": TOKENS, "window": 2},
    }


def good():
    return {
        rotate: {"x": {"rank"}},
    }
