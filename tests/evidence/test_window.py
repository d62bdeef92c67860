"""What page window measures is what its sentence is about."""

import torch

from attend.evidence.window import accuracy


def test_one_who_reads_the_first_symbol_is_always_right_and_one_who_reads_the_last_guesses():
    assert accuracy(lambda x: x[:, 0, :4], 10, seed=0) == 1
    assert abs(accuracy(lambda x: torch.roll(x[:, -1], 4, 1)[:, :4], 10, seed=0) - 0.25) < 0.05
