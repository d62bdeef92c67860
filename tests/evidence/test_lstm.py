"""What page lstm measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.lstm import left
from attend.recipes.lstm import build_lstm


def test_without_recurrent_weights_the_largest_product_of_forget_gates_is_left():
    cell = build_lstm("spread", 3, 8, 100.0, 1)
    cell.from_hidden.weight.data.zero_()
    x = torch.randn(1, 20, 3, generator=torch.Generator().manual_seed(2))
    forget = torch.sigmoid(cell.from_input(x[0, 1:]).chunk(4, dim=1)[1])
    assert left(cell, x) == pytest.approx(forget.prod(0).max().item(), rel=1e-4)
