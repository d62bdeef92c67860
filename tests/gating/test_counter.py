"""The taught counter beside torch.nn put together, and the measure that finds what its units know."""

import itertools

import pytest
import torch
from benchmarks.twin import twin
from sklearn.metrics import roc_auc_score
from torch import nn

from attend.gating.counter import LearnedCounter, auc
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN

H, V = 5, 4
UNITS = {"rnn": (RNN, nn.RNN), "gru": (GRU, nn.GRU), "lstm": (LSTM, nn.LSTM)}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def counter(name):
    model = LearnedCounter(UNITS[name][0](1, H, generator=seeded()), V, seeded(1)).double()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=seeded(p.numel()), dtype=torch.float64))
    return model


def from_torch(name, model):
    unit = twin(UNITS[name][1], model.rnn.from_input.weight, model.rnn.from_hidden.weight, model.rnn.from_input.bias)
    linear = nn.Linear(H, V).double()
    with torch.no_grad():
        linear.weight.copy_(model.readout.weight)
        linear.bias.copy_(model.readout.bias)
    return unit, linear


@pytest.mark.parametrize("name", UNITS)
def test_values_and_gradients_agree_with_torch(name):
    model = counter(name)
    unit, linear = from_torch(name, model)
    x, n = torch.randn(3, 7, 1, generator=seeded(2), dtype=torch.float64), torch.arange(21).view(3, 7) % V
    (logits, hidden), theirs = model(x), linear(unit(x)[0])
    torch.testing.assert_close(logits, theirs)
    torch.testing.assert_close(hidden, unit(x)[0])
    for said in (logits, theirs):
        nn.functional.cross_entropy(said.flatten(0, 1), n.flatten()).backward()
    pairs = [
        (model.rnn.from_input.weight, unit.weight_ih_l0),
        (model.rnn.from_hidden.weight, unit.weight_hh_l0),
        (model.rnn.from_input.bias, unit.bias_ih_l0),
        (model.readout.weight, linear.weight),
        (model.readout.bias, linear.bias),
    ]
    for mine, other in pairs:
        torch.testing.assert_close(mine.grad, other.grad)


@pytest.mark.parametrize("name", UNITS)
def test_a_later_value_changes_no_earlier_count(name):
    model = counter(name)
    x = torch.randn(2, 9, 1, generator=seeded(3), dtype=torch.float64)
    changed = x.clone()
    changed[:, 6:] += 1
    before, after = model(x)[0], model(changed)[0]
    assert torch.equal(before[:, :6], after[:, :6])
    assert not torch.allclose(before[:, 6:], after[:, 6:])
    assert torch.equal(model.count(x), before.argmax(-1))


def test_auc_agrees_with_a_library_and_takes_the_better_direction():
    feature = torch.randint(0, 6, (80, 3), generator=seeded(4)).double()  # many ties
    label = torch.rand(80, generator=seeded(5)) < feature[:, 0] / 8
    expected = [roc_auc_score(label.numpy(), column.numpy()) for column in feature.T]
    assert auc(feature, label).tolist() == pytest.approx([max(a, 1 - a) for a in expected])
    torch.testing.assert_close(auc(-feature, label), auc(feature, label))


def test_auc_is_the_share_of_pairs_in_the_right_order():
    feature, label = torch.tensor([[0.1], [0.4], [0.4], [0.9]]), torch.tensor([False, True, False, True])
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in itertools.product((0.4, 0.9), (0.1, 0.4))]
    assert auc(feature, label).item() == pytest.approx(sum(wins) / 4)
    perfect = torch.tensor([[5.0], [-1.0], [-1.0], [-2.0]])
    assert auc(perfect, ~(perfect[:, 0] < 0)).item() == 1.0


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="rnn: got"):
        LearnedCounter(GRU(2, H), V)
    with pytest.raises(ValueError, match="V: got 1"):
        LearnedCounter(GRU(1, H), 1)
    with pytest.raises(ValueError, match="label: got"):
        auc(torch.ones(3, 1), torch.tensor([True, True, True]))


def calls():
    COUNTER = LearnedCounter(GRU(1, 3), 4)
    X = torch.tensor([[[0.5], [2.0]], [[-1.0], [0.25]]])
    return {
        LearnedCounter: {"rnn": GRU(1, 3), "V": 4, "generator": torch.Generator()},
        COUNTER.forward: {"x": X},
        COUNTER.count: {"x": X},
        auc: {"feature": torch.tensor([[1.0, 0.0], [0.5, 2.0]]), "label": torch.tensor([True, False])},
    }
