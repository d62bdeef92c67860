"""Attention alone: the same as torch's layers added up, and a head that is cut adds nothing."""

import pytest
import torch
from torch import nn

from attend.transformers.attention_only import AttentionOnly, cut_
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.tiny_transformer import CausalSelfAttention

V, D, HEADS, T = 7, 6, 3, 5


def model(**options):
    torch.manual_seed(0)
    return AttentionOnly(V, D, HEADS, num_layers=2, context=9, **options).double()


def by_torch(model, tokens):
    """Logits and weights by torch.nn.MultiheadAttention."""
    x, found = model.token(tokens) + model.position.weight[: tokens.shape[1]], []
    later = torch.ones(T, T, dtype=torch.bool).triu(1) if model.causal else None
    for norm, own in zip(model.norms, model.layers, strict=False):
        layer = nn.MultiheadAttention(D, HEADS, batch_first=True).double()
        maps = own.q_proj, own.k_proj, own.v_proj
        layer.in_proj_weight.data = torch.cat([one.weight for one in maps])
        layer.in_proj_bias.data = torch.cat([one.bias for one in maps])
        layer.out_proj.load_state_dict(own.out_proj.state_dict())
        output, weights = layer(*[norm(x)] * 3, attn_mask=later, average_attn_weights=False)
        x = x + output
        found.append(weights)
    return model.output(model.norms[-1](x)), torch.stack(found, dim=1)


@pytest.mark.parametrize("causal", [True, False])
def test_values_and_gradients_are_those_of_torch(causal):
    ours, tokens = model(causal=causal), torch.randint(V, (2, T), generator=torch.Generator().manual_seed(1))
    (mine, looked), (theirs, wanted) = ours(tokens), by_torch(ours, tokens)
    torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(looked, wanted)
    grads = [torch.autograd.grad(out.square().sum(), ours.token.weight)[0] for out in (mine, theirs)]
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("made", [MultiHeadAttention, CausalSelfAttention])
def test_cutting_all_heads_leaves_the_bias_and_cutting_one_takes_its_part(made):
    torch.manual_seed(0)
    layer, x = made(D, HEADS), torch.randn(2, T, D)
    nn.init.normal_(layer.out_proj.bias)
    whole, weight = layer(x), layer.out_proj.weight.clone()
    parts = []
    for head in range(HEADS):
        cut_(layer, head)
        parts.append(whole - layer(x))
        layer.out_proj.weight.data.copy_(weight)
    torch.testing.assert_close(sum(parts) + layer.out_proj.bias, whole)
    for head in range(HEADS):
        assert cut_(layer, head) is layer
    torch.testing.assert_close(layer(x), layer.out_proj.bias.expand_as(x))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: AttentionOnly(V, 8, 3), "num_heads: got 3"),
        (lambda: model()(torch.zeros(1, 10, dtype=torch.long)), "tokens: got"),
        (lambda: cut_(MultiHeadAttention(6, 3), 3), "head: got 3"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    tokens = torch.zeros(2, 3, dtype=torch.long)
    sizes = {"vocab_size": 5, "d_model": 4, "num_heads": 2, "num_layers": 1, "context": 3, "causal": True}
    return {
        AttentionOnly: sizes,
        AttentionOnly(**sizes).forward: {"tokens": tokens},
        cut_: {"attn": MultiHeadAttention(4, 2), "head": 1},
    }


def good():
    return {cut_: {"head": {"zero"}}, AttentionOnly(5, 4, 2, 1, 3).forward: {"tokens": {"zero"}}}
