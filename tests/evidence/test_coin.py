"""What the first page measures: which flips a prediction leans on, and coins that nobody was trained on."""

import torch

from attend.evidence.coin import moves, new_coins
from attend.memory.coin import Tally


def test_every_flip_moves_a_tally_alike():
    flips = new_coins(0, 20, count=7)
    assert torch.allclose(moves(Tally(), flips), torch.full((20,), 1 / 22), atol=1e-6)


def test_each_seed_has_its_own_coins():
    assert new_coins(1, 5, count=9).shape == (9, 5)
    assert not torch.equal(new_coins(1, 5), new_coins(2, 5))
    assert torch.equal(new_coins(1, 5), new_coins(1, 5))
