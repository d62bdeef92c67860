"""Each part beside torch's own or beside its formula; what rotation, grouped heads and the mask promise."""

import pytest
import torch
from tests.agreement import agree
from torch import nn
from torch.nn.functional import scaled_dot_product_attention, silu

from attend.transformers import modern
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.modern import (
    GroupedQueryAttention,
    ModernBlock,
    ModernTransformer,
    RMSNorm,
    SwiGLU,
)
from attend.transformers.positioned import rotate
from attend.transformers.self_attention import causal_mask

B, T, D, HEADS, V = 2, 6, 16, 4, 11


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)


def test_rms_norm_is_that_of_torch():
    ours, theirs = RMSNorm(D).double(), nn.RMSNorm(D, eps=1e-5).double()
    gain = drawn(D, seed=2)
    ours.gain.data = theirs.weight.data = gain.data
    x = drawn(B, T, D)
    agree(ours(x), theirs(x), [x])


def test_rms_norm_ignores_the_length_of_a_vector_and_not_its_mean():
    norm, x = RMSNorm(D).double(), drawn(B, T, D)
    torch.testing.assert_close(norm(100 * x), norm(1_000 * x), atol=1e-6, rtol=0)
    assert not torch.allclose(norm(x), norm(x + 1), atol=0.1)


def test_swiglu_is_its_formula():
    layer, x = SwiGLU(D, 10).double(), drawn(B, T, D)
    W, V_, W2 = layer.gate.weight, layer.up.weight, layer.down.weight
    agree(layer(x), (silu(x @ W.T) * (x @ V_.T)) @ W2.T, [x, W, V_, W2])


def test_two_thirds_of_the_width_have_as_many_weights():
    gated, plain = SwiGLU(48, 128), nn.Sequential(nn.Linear(48, 192, bias=False), nn.Linear(192, 48, bias=False))
    assert sum(p.numel() for p in gated.parameters()) == sum(p.numel() for p in plain.parameters())


@pytest.mark.parametrize("width", [2, 8])
def test_rotated_products_depend_on_the_distance_alone(width):
    query, key = drawn(width, seed=3), drawn(width, seed=4)
    scores = rotate(query.expand(9, width)) @ rotate(key.expand(9, width)).T  # (9, 9)
    for away in range(-8, 9):
        band = scores.diagonal(away)
        torch.testing.assert_close(band, band[:1].expand_as(band), atol=1e-6, rtol=0)
    torch.testing.assert_close(scores[0, 0], query @ key)
    assert (scores[0, 1:] - scores[0, 0]).abs().max() > 0.1


def test_rotation_is_that_of_complex_numbers():
    x = drawn(B, 3, T, 8)
    speed = 10_000 ** (-torch.arange(4, dtype=torch.float64) / 4)
    turns = torch.polar(torch.ones(T, 4, dtype=torch.float64), torch.arange(T)[:, None] * speed)
    wanted = torch.complex(x[..., :4], x[..., 4:]) * turns
    agree(rotate(x), torch.cat([wanted.real, wanted.imag], dim=-1), [x], atol=1e-6, rtol=1e-6)


def split(layer, x):
    heads = (part(x).unflatten(2, (-1, layer.d_head)).transpose(1, 2) for part in (layer.q_proj, layer.k_proj))
    query, key = (rotate(part) for part in heads)
    return query, key, layer.v_proj(x).unflatten(2, (-1, layer.d_head)).transpose(1, 2)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_queries_written_out(kv_heads):
    layer, x = GroupedQueryAttention(D, HEADS, kv_heads).double(), drawn(B, T, D)
    query, key, value = split(layer, x)
    read = []
    for head in range(HEADS):
        shared = head * kv_heads // HEADS  # neighbours share
        scores = query[:, head] @ key[:, shared].mT / layer.d_head**0.5
        read.append(scores.masked_fill(~causal_mask(T), -torch.inf).softmax(-1) @ value[:, shared])
    agree(layer(x), layer.out_proj(torch.cat(read, dim=2)), [x, *layer.parameters()])


@pytest.mark.skipif("enable_gqa" not in (scaled_dot_product_attention.__doc__ or ""), reason="torch below 2.5")
def test_grouped_queries_are_those_of_torch():
    layer, x = GroupedQueryAttention(D, HEADS, 2).double(), drawn(B, T, D)
    read = scaled_dot_product_attention(*split(layer, x), is_causal=True, enable_gqa=True)
    agree(layer(x), layer.out_proj(read.transpose(1, 2).flatten(2)), [x])


def test_with_a_key_for_each_query_and_no_rotation_it_is_many_heads(monkeypatch):
    monkeypatch.setattr(modern, "rotate", lambda x: x)
    ours, general = GroupedQueryAttention(D, HEADS, HEADS).double(), MultiHeadAttention(D, HEADS).double()
    general.load_state_dict(ours.state_dict(), strict=False)  # its biases are 0
    x = drawn(B, T, D)
    agree(ours(x), general(x, mask=causal_mask(T)), [x])


def test_no_position_sees_a_later_token():
    model = ModernTransformer(V, D, HEADS, 2, 12)
    tokens = torch.randint(V, (B, T))
    other = tokens.clone()
    other[:, 3] = (other[:, 3] + 1) % V
    moved = (model(tokens) - model(other)).abs().amax((0, 2))
    assert (moved[:3] == 0).all()
    assert (moved[3:] > 0).all()


def test_the_order_of_the_tokens_matters():
    model, tokens = ModernTransformer(V, D, HEADS, 2, 12), torch.arange(T)[None]
    assert not torch.allclose(model(tokens)[:, -1], model(tokens[:, [1, 0, *range(2, T)]])[:, -1], atol=1e-4)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: GroupedQueryAttention(16, 3, 1), "num_heads: got 3"),
        (lambda: GroupedQueryAttention(16, 4, 3), "num_kv_heads: got 3"),
        (lambda: rotate(torch.ones(2, 3)), "x: got"),
        (lambda: RMSNorm(4)(torch.ones(2, 3)), "x: got"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    x = torch.ones(2, 3, 8)
    return {
        RMSNorm: {"d_model": 8},
        RMSNorm(8).forward: {"x": x},
        rotate: {"x": x},
        GroupedQueryAttention: {"d_model": 8, "num_heads": 4, "num_kv_heads": 2},
        GroupedQueryAttention(8, 4, 2).forward: {"x": x},
        SwiGLU: {"d_model": 8, "d_ff": 6},
        SwiGLU(8, 6).forward: {"x": x},
        ModernBlock: {"d_model": 8, "num_heads": 4, "num_kv_heads": 2, "d_ff": 6},
        ModernBlock(8, 4, 2, 6).forward: {"x": x},
        ModernTransformer: {
            "vocab_size": 5,
            "d_model": 8,
            "num_heads": 4,
            "num_kv_heads": 2,
            "d_ff": 6,
            "num_layers": 1,
        },
        ModernTransformer(5, 8, 4, 2, 6, 1).forward: {"tokens": torch.zeros(2, 3, dtype=torch.long)},
    }


def good():
    """Norm, rotation and gate take vectors in any arrangement."""
    any_shape = {"x": {"rank", "width"}}
    return {RMSNorm(8).forward: any_shape, SwiGLU(8, 6).forward: any_shape, rotate: {"x": {"rank"}}}
