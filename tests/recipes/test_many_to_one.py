"""The head reads the last step, of whatever layer it is given."""

import pytest
import torch
from torch import nn

from attend.gating.lstm import LSTM
from attend.recipes.many_to_one import ManyToOne


@pytest.mark.parametrize("layer", [nn.GRU(2, 4, batch_first=True), LSTM(2, 4)], ids=["torch.nn", "ours"])
def test_the_head_reads_the_last_hidden_state(layer):
    model, x = ManyToOne(layer, 3), torch.randn(5, 6, 2)
    assert model(x).shape == (5, 3)
    torch.testing.assert_close(model(x), model.head(layer(x)[0][:, 5]))
    before = layer(x)[0].detach()
    assert not torch.equal(before[:, 5], before[:, 4])
