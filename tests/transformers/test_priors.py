"""Equal weights; what each network can connect, by its gradients; chrono biases as gates that keep so many steps."""

import pytest
import torch
from torch import nn

from attend.recipes.priors import KINDS, build, shuffle
from attend.transformers.priors import AttentionNet, ConvNet, DenseNet, LinearNet, RecurrentNet, chrono_

B, T, D, C, H = 3, 7, 4, 2, 6


def weights(model):
    return sum(p.numel() for p in model.parameters())


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def test_all_but_the_linear_net_have_as_many_weights():
    sizes = [weights(build(kind, 0)) for kind in KINDS if kind != "linear"]
    assert max(sizes) / min(sizes) < 1.03
    assert weights(build("linear", 0)) == 580


@pytest.mark.parametrize("kind", KINDS)
def test_logits_have_their_shape_and_reach_every_input(kind):
    x = draw(5, 17, 17).requires_grad_()
    logits = build(kind, 0).eval()(x)
    assert logits.shape == (5, 2)
    (gradient,) = torch.autograd.grad(logits.sum(), x)
    reached = gradient.abs().sum((0, 2)) > 0
    assert bool(reached.all()) or kind == "convolution"


def test_a_pattern_that_moves_is_the_same_to_the_convolution_and_not_to_the_dense_net():
    pattern = draw(1, 3, D)
    x, moved = torch.zeros(1, 20, D), torch.zeros(1, 20, D)
    x[:, 5:8], moved[:, 11:14] = pattern, pattern
    torch.manual_seed(0)
    net, dense = ConvNet(20, D, C, H), DenseNet(20, D, C, H)
    torch.testing.assert_close(net(x), net(moved))
    assert not torch.allclose(dense(x), dense(moved))


def test_without_positions_attention_does_not_see_the_order_of_what_it_looks_at():
    torch.manual_seed(0)
    net, x = AttentionNet(T, D, C, H).eval(), draw(B, T, D)
    turned = torch.cat([x[:, :-1].flip(1), x[:, -1:]], dim=1)
    assert not torch.allclose(net(x), net(turned), atol=1e-4)
    nn.init.zeros_(net.position)
    torch.testing.assert_close(net(x), net(turned), atol=1e-5, rtol=1e-4)


def test_a_shuffle_is_one_order_for_all_rows_and_leaves_the_joker():
    x = draw(4, 17, 17)
    turned = shuffle(x)
    assert torch.equal(turned[:, -1], x[:, -1])
    assert not torch.equal(turned, x)
    assert torch.equal(turned.sort(1).values, x.sort(1).values)


def test_chrono_gates_keep_for_2_to_longest_steps():
    gru = chrono_(nn.GRU(D, H), 100)
    keep = (gru.bias_ih_l0 + gru.bias_hh_l0)[H : 2 * H].sigmoid()
    scales = 1 / (1 - keep)
    assert scales[0].item() == pytest.approx(2, rel=1e-4)
    assert scales[-1].item() == pytest.approx(100, rel=1e-3)
    # with nothing else, a state fades by just this factor a step, as torch computes it
    for name in ("weight_ih_l0", "weight_hh_l0"):
        nn.init.zeros_(getattr(gru, name))
    for name in ("bias_ih_l0", "bias_hh_l0"):
        getattr(gru, name).data[2 * H :] = 0
    h = gru(torch.zeros(1, 1, D), torch.ones(1, 1, H))[1]
    torch.testing.assert_close(h[0, 0], keep, atol=1e-6, rtol=0)


def calls():
    sizes, x = {"T": T, "D": D, "C": C}, {"x": draw(B, T, D)}
    torch.manual_seed(0)
    return {
        LinearNet: sizes,
        DenseNet: sizes | {"H": H},
        ConvNet: sizes | {"H": H},
        RecurrentNet: sizes | {"H": H},
        AttentionNet: sizes | {"H": H, "num_heads": 2},
        LinearNet(**sizes).forward: x,
        DenseNet(**sizes, H=H).forward: x,
        ConvNet(**sizes, H=H).forward: x,
        RecurrentNet(**sizes, H=H).forward: x,
        AttentionNet(**sizes, H=H).forward: x,
        chrono_: {"gru": nn.GRU(D, H), "longest": 100},
    }


def good():
    return {chrono_: {"longest": {"type"}}}
