"""What page lstm measures is what its sentence is about."""

import pytest
import torch

from attend.evidence.lstm import correlations, gradient_norms, in_the_line, read
from attend.gating.lstm import LSTM, LanguageModel, chrono_
from attend.tasks import plays


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


def test_the_place_in_the_line_starts_anew_at_a_line_break():
    tokens = plays.encode("ab\ncde\n\nf")[None]
    assert in_the_line(tokens).tolist() == [[0, 1, 0, 1, 2, 3, 0, 0, 1]]


def test_a_cell_that_is_the_place_correlates_and_a_constant_one_does_not():
    place = torch.arange(6.0).repeat(2, 1)
    cells = torch.stack([3 - 2 * place, torch.ones(2, 6), place**0], dim=2)
    assert correlations(cells, place).tolist() == pytest.approx([-1, 0, 0], abs=1e-6)


def test_reading_step_by_step_is_the_model_and_a_cell_held_at_zero_is_not():
    torch.manual_seed(0)
    model, tokens = LanguageModel(LSTM(5, 6)), torch.randint(5, (1, 30))
    cells, logits = read(model, tokens)
    torch.testing.assert_close(logits, model(tokens)[0])
    held, other = read(model, tokens, without=2)
    assert not held[..., 2].any()
    assert not torch.allclose(other, logits)
    model.head.weight.data[:, 2] = model.layer.from_hidden.weight.data[:, 2] = 0
    torch.testing.assert_close(read(model, tokens, without=2)[1], model(tokens)[0])
    assert cells.shape == (1, 30, 6)
