"""What page lstm measures is what its sentence is about."""

import pytest
import torch

from attend.evidence.lstm import gradient_norms
from attend.gating.lstm import LSTM, chrono_


def test_without_recurrent_weights_the_product_of_forget_gates_is_left():
    torch.manual_seed(1)
    lstm = chrono_(LSTM(3, 1), 50.0).double()  # one cell: every direction is the same
    lstm.from_hidden.weight.data.zero_()
    x = torch.randn(4, 20, 3, dtype=torch.float64)
    forget = torch.sigmoid(lstm.from_input(x).chunk(4, dim=2)[1])[..., 0]  # (B, T)
    products = forget.flip(1).cumprod(1).flip(1)  # from step t to the last
    found = gradient_norms(lstm, x)
    assert found[-1].tolist() == pytest.approx([1.0] * 4)
    assert found[0].tolist() == pytest.approx(products[:, 1].tolist())
    assert found[9].tolist() == pytest.approx(products[:, 10].tolist())
