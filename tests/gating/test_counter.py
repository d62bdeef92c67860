"""Stacked layers are torch's own with `num_layers`; a counter reads the top one after every step."""

import pytest
import torch
from torch import nn

from attend.fast import fast
from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN

B, T, D, H, L = 3, 7, 2, 5, 3
LAYERS = {"rnn": (RNN, nn.RNN), "gru": (GRU, nn.GRU), "lstm": (LSTM, nn.LSTM)}


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def both(name):
    """A stack of ours, and torch's of the same weights."""
    ours, theirs = LAYERS[name]
    torch.manual_seed(1)
    stack = Stacked(ours, D, H, L).double()
    torchs = theirs(D, H, num_layers=L, batch_first=True).double()
    with torch.no_grad():
        for k, layer in enumerate(stack.layers):
            layer.from_input.bias.copy_(draw(len(layer.from_input.bias), seed=k))
            getattr(torchs, f"weight_ih_l{k}").copy_(layer.from_input.weight)
            getattr(torchs, f"weight_hh_l{k}").copy_(layer.from_hidden.weight)
            getattr(torchs, f"bias_ih_l{k}").copy_(layer.from_input.bias)
            getattr(torchs, f"bias_hh_l{k}").zero_()
    return stack, torchs


def by_layer(states):
    """Last states as torch has them: (L, B, H), of an LSTM a pair of them."""
    pairs = [state if isinstance(state, tuple) else (state,) for state in states]
    return [torch.stack(part) for part in zip(*pairs, strict=True)]


@pytest.mark.parametrize("kernel", [lambda stack: stack, fast], ids=["listing", "fast"])
@pytest.mark.parametrize("name", LAYERS)
def test_values_and_gradients_agree_with_torch(name, kernel):
    stack, torchs = both(name)
    x = draw(B, T, D, seed=9)
    hidden, states = kernel(stack)(x)
    theirs, last = torchs(x)
    torch.testing.assert_close(hidden[-1], theirs)
    last = last if isinstance(last, tuple) else (last,)
    for mine, other in zip(by_layer(states), last, strict=True):
        torch.testing.assert_close(mine, other)
    weights = draw(B, T, H, seed=10)
    for outputs in (hidden[-1], theirs):
        (outputs * weights).sum().backward()
    for k, layer in enumerate(stack.layers):
        torch.testing.assert_close(layer.from_input.weight.grad, getattr(torchs, f"weight_ih_l{k}").grad)
        torch.testing.assert_close(layer.from_hidden.weight.grad, getattr(torchs, f"weight_hh_l{k}").grad)
        torch.testing.assert_close(layer.from_input.bias.grad, getattr(torchs, f"bias_ih_l{k}").grad)


@pytest.mark.parametrize("name", LAYERS)
def test_reading_on_from_the_last_states_is_reading_at_once(name):
    stack, _ = both(name)
    x = draw(B, T, D, seed=3)
    whole, _ = stack(x)
    first, states = stack(x[:, :4])
    second, _ = stack(x[:, 4:], states)
    for k in range(L):
        torch.testing.assert_close(torch.cat([first[k], second[k]], dim=1), whole[k])


def test_a_later_value_changes_no_earlier_output():
    torch.manual_seed(0)
    model = LearnedCounter(Stacked(GRU, 1, H, 2)).double()
    x = draw(2, 9, 1)
    changed = x.clone()
    changed[:, 6:] += 1
    before, after = model(x)[0], model(changed)[0]
    assert torch.equal(before[:, :6], after[:, :6])
    assert not torch.allclose(before[:, 6:], after[:, 6:])


@pytest.mark.parametrize("outputs", [1, 6])
def test_the_count_is_the_nearest_or_the_likeliest(outputs):
    torch.manual_seed(0)
    model = LearnedCounter(Stacked(GRU, 1, H, 2), outputs)
    model.head.weight.data.mul_(20)
    x = torch.randn(4, 8, 1)
    said, hidden = model(x)
    assert [tuple(one.shape) for one in hidden] == [(4, 8, H)] * 2
    torch.testing.assert_close(said, model.head(hidden[-1]))
    expected = (said[..., 0] + 0.5).floor() if outputs == 1 else said.softmax(2).max(2).indices
    assert torch.equal(model.count(x), expected.long())


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: Stacked(GRU, 1, 4, 0), "num_layers: got 0"),
        (lambda: Stacked(nn.GRU, 1, 4, 2), "layer: got"),
        (lambda: Stacked(GRU, 2, 4, 2)(torch.ones(1, 3, 1)), "x: got"),
        (lambda: Stacked(GRU, 1, 4, 2)(torch.ones(1, 3, 1), [torch.zeros(1, 4)]), "states: got"),
        (lambda: LearnedCounter(Stacked(GRU, 1, 4, 2), 0), "outputs: got 0"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    COUNTER = LearnedCounter(Stacked(GRU, 1, 3, 2), 4)
    X = torch.tensor([[[0.5], [2.0]], [[-1.0], [0.25]]])
    return {
        Stacked: {"layer": GRU, "input_size": 1, "hidden_size": 3, "num_layers": 2},
        COUNTER.stack.forward: {"x": X, "states": [torch.zeros(2, 3), torch.ones(2, 3)]},
        LearnedCounter: {"stack": Stacked(GRU, 1, 3, 2), "outputs": 4},
        COUNTER.forward: {"x": X},
        COUNTER.count: {"x": X},
    }
