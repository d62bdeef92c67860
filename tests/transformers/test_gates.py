"""A gated update unrolled, attention with forget gates, and linear attention: beside loops and torch's attention."""

import pytest
import torch
from tests.agreement import agree
from torch import nn

from attend.transformers.gates import GatedAttention, LinearAttention, gate_weights, gated_update


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


UPDATE = torch.rand(2, 6, 3, generator=seeded(), dtype=torch.float64)
CANDIDATE = torch.randn(2, 6, 3, generator=seeded(1), dtype=torch.float64)


def layer(kind=GatedAttention, *sizes, **settings):
    torch.manual_seed(0)
    return kind(*(sizes or (5, 6)), **settings).double()


X = torch.randn(3, 7, 5, generator=seeded(2), dtype=torch.float64)


def test_unrolled_is_recursive_in_values_and_gradients():
    update, candidate = UPDATE.clone().requires_grad_(), CANDIDATE.clone().requires_grad_()
    unrolled = torch.einsum("btsh,bsh->bth", gate_weights(update), candidate)
    agree(gated_update(update, candidate), unrolled, [update, candidate], atol=1e-12, rtol=0)


def test_weights_are_worked_by_hand():
    update = torch.tensor([0.0, 0.75, 0.5]).view(1, 3, 1)
    expected = [[1, 0, 0], [0.75, 0.25, 0], [0.375, 0.125, 0.5]]
    torch.testing.assert_close(gate_weights(update)[0, :, :, 0], torch.tensor(expected))


def test_weights_and_what_is_left_of_the_start_add_up_to_one():
    left = UPDATE.cumprod(1)
    torch.testing.assert_close(gate_weights(UPDATE).sum(2) + left, torch.ones_like(left))


def test_gates_are_a_softmax_of_scores_that_nobody_asked_for():
    update = UPDATE.clone()
    update[:, 0] = 0
    passed = update[:, 1:].log().cumsum(1)
    e = (1 - update).log() - nn.functional.pad(passed, (0, 0, 1, 0))
    for t in range(1, 7):
        torch.testing.assert_close(e[:, :t].softmax(1), gate_weights(update)[:, t - 1, :t])


@pytest.mark.parametrize("num_heads", [1, 2])
def test_without_gates_it_is_torchs_attention_under_a_causal_mask(num_heads):
    ours, theirs = layer(num_heads=num_heads), nn.MultiheadAttention(6, num_heads, batch_first=True).double()
    maps = (ours.q_proj, ours.k_proj, ours.v_proj)
    x = nn.functional.pad(X, (0, 1)).requires_grad_()  # torch wants inputs as wide as the layer
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([nn.functional.pad(one.weight, (0, 1)) for one in maps]))
        theirs.in_proj_bias.copy_(torch.cat([one.bias for one in maps]))
        theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
    later = torch.ones(7, 7, dtype=torch.bool).triu(1)
    output, _ = ours(x[..., :5])
    agree(output, theirs(x, x, x, attn_mask=later)[0], [x], atol=1e-10, rtol=0)


def test_forget_gates_multiply_what_is_in_the_softmax():
    model = layer(forget=True, num_heads=2)
    _, weights = model(X)
    z = torch.sigmoid(model.forget(X) + model.FORGET_BIAS)  # (B, T, heads)
    plain = layer(num_heads=2)
    plain.load_state_dict(model.state_dict(), strict=False)
    _, without = plain(X)
    for t in range(7):
        for i in range(t + 1):
            ratio = weights[:, :, t, i] / weights[:, :, t, t]
            passed = z[:, i + 1 : t + 1].prod(dim=1)
            torch.testing.assert_close(ratio, without[:, :, t, i] / without[:, :, t, t] * passed)


def test_with_no_query_attention_with_forget_gates_is_a_gated_update():
    model = layer(forget=True)
    with torch.no_grad():
        for one in (model.q_proj, model.k_proj):
            one.weight.zero_()
            one.bias.zero_()
    _, weights = model(X)
    z = torch.sigmoid(model.forget(X) + model.FORGET_BIAS)[..., 0]  # (B, T)
    total, rows = torch.zeros(3, dtype=torch.float64), []
    for gate in z.unbind(1):
        total = gate * total + 1
        rows.append(1 - 1 / total)
    torch.testing.assert_close(weights[:, 0], gate_weights(torch.stack(rows, 1)[..., None])[..., 0])


def test_linear_attention_can_be_read_step_by_step():
    model = layer(LinearAttention, num_heads=2)
    x = X.clone().requires_grad_()
    q, k = (nn.functional.elu(model.split(one(x))) + 1 for one in (model.q_proj, model.k_proj))
    v, S, n, rows = model.split(model.v_proj(x)), 0, 0, []
    for t in range(7):
        S, n = S + k[:, :, t, :, None] * v[:, :, t, None, :], n + k[:, :, t]
        rows.append((q[:, :, t, None, :] @ S)[:, :, 0] / (q[:, :, t] * n).sum(-1, keepdim=True))
    stepped = model.out_proj(torch.stack(rows, 2).transpose(1, 2).flatten(2))
    agree(model(x)[0], stepped, [x], atol=1e-12, rtol=0)


def test_linear_attention_with_forget_gates_lets_its_state_fade():
    model = layer(LinearAttention, forget=True)
    _, weights = model(X)
    plain = layer(LinearAttention)
    plain.load_state_dict(model.state_dict(), strict=False)
    without = plain.weights(X) * model.bias(X).exp()
    torch.testing.assert_close(weights, without / without.sum(-1, keepdim=True))


@pytest.mark.parametrize("kind", [GatedAttention, LinearAttention])
def test_nothing_later_is_read_and_weights_add_up_to_one(kind):
    output, weights = layer(kind)(X)
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    torch.testing.assert_close(layer(kind)(X[:, :4])[1], weights[:, :, :4, :4])
    torch.testing.assert_close(layer(kind)(X[:, :4])[0], output[:, :4])


def test_without_gates_the_order_of_earlier_steps_is_lost_and_with_them_it_is_not():
    turned = X[:, [1, 0, 2, 3, 4, 5, 6]]
    for forget in (False, True):
        model = layer(forget=forget)
        moved = (model(X)[0][:, -1] - model(turned)[0][:, -1]).abs().max()
        assert (moved > 1e-4) == forget


def test_what_is_no_gate_is_refused():
    with pytest.raises(ValueError, match="update: got"):
        gate_weights(UPDATE + 1)
    with pytest.raises(ValueError, match="num_heads: got"):
        GatedAttention(5, 6, num_heads=4)


def calls():
    U = torch.full((2, 3, 4), 0.5)
    return {
        gated_update: {"update": U, "candidate": torch.ones(2, 3, 4)},
        gate_weights: {"update": U},
        GatedAttention: {"input_size": 3, "hidden_size": 4, "num_heads": 2, "forget": True},
        GatedAttention(3, 4).forward: {"x": torch.ones(2, 5, 3)},
    }
