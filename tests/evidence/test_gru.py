"""What page gru measures is what its sentence is about."""

import pytest
import torch

from attend.evidence.gru import held, left
from attend.gating.gru import GRU, chrono_
from attend.recipes.many_to_one import ManyToOne


def test_the_gradient_at_the_end_is_whole_and_falls_on_the_way_back():
    found = left("GRU, PyTorch's start", 0)
    assert found.shape == (101,)
    assert found[0].item() == pytest.approx(1)
    assert (found.diff() < 0).all()


def test_gates_that_do_not_move_can_be_held_and_others_cannot():
    torch.manual_seed(0)
    model = ManyToOne(chrono_(GRU(2, 3), 20.0), 1)
    x = torch.randn(4, 9, 2)
    for gate in ("update", "reset"):
        assert not torch.allclose(held(model, x, gate), model(x)[:, 0])
    for weight in (model.layer.from_input.weight, model.layer.from_hidden.weight):
        weight.data[:6] = 0
    for gate in ("update", "reset"):
        torch.testing.assert_close(held(model, x, gate), model(x)[:, 0])
