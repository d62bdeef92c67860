"""What a learner made: each fault is said by name, and a good layer passes."""

import pytest
import torch
from torch import nn

from attend.checks.exercise import Untouched, Wrong
from attend.checks.made import Layer, trainable


class Mean(nn.Module):
    """The mean of all earlier vectors and this one; with `ahead`, of all."""

    def __init__(self, ahead=False):
        super().__init__()
        self.map, self.ahead = nn.Linear(4, 4), ahead

    def forward(self, x):
        return self.map(x).cumsum(1) if not self.ahead else self.map(x).mean(1, keepdim=True).expand_as(x)


class Deaf(Mean):
    def forward(self, x):
        return 0 * self.map(x)


def test_a_causal_layer_passes():
    layer, x = Layer(Mean()), torch.randn(2, 5, 4)
    layer.refuse_looking_ahead(4, (3, 5), (2, 9))
    assert torch.equal(layer(x), layer.made(x))
    assert torch.equal(layer(x, None, "ours"), layer(x))
    assert len(list(layer.parameters())) == 2


@pytest.mark.parametrize("made", [None, 3, nn.Linear, nn.ReLU(), nn.Linear(2, 2).requires_grad_(False)])
def test_what_has_nothing_to_train_is_refused(made):
    with pytest.raises(Wrong, match=r"make\(n\) must return an nn.Module with weights to train"):
        trainable(made, "make(n)")


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (Mean(ahead=True), "where is the causal mask"),
        (Deaf(), "does your block read x"),
        (nn.Linear(3, 4), "your block stopped at x of shape"),
        (nn.Linear(4, 3), "finite numbers of x's shape"),
        (nn.LSTM(4, 4), "finite numbers of x's shape"),
    ],
)
def test_faults_are_named(made, says):
    with pytest.raises(Wrong, match=says):
        Layer(made, "your block").refuse_looking_ahead(4, (3, 5))


def test_a_stub_stays_untouched():
    class Stub(Mean):
        def forward(self, x):
            raise Untouched

    with pytest.raises(Untouched):
        Layer(Stub())(torch.randn(1, 2, 4))
