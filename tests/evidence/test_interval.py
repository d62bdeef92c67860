"""What page interval measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.interval import after_the_same_days, unexplained
from attend.memory.interval import CountingRNN, by_hand


def test_what_the_count_leaves_unexplained():
    counts = torch.tensor([1, 1, 2, 2])
    assert unexplained(torch.tensor([[0.0], [0.0], [3.0], [3.0]]), counts) == 0
    assert unexplained(torch.tensor([[0.0], [1.0], [0.0], [1.0]]), counts) == pytest.approx(1)
    assert unexplained(torch.tensor([[0.0], [2.0], [4.0], [6.0]]), counts) == pytest.approx(4 / 20)


def test_the_counter_by_hand_is_left_in_one_state_by_all_pasts_of_a_count():
    states, counts = after_the_same_days(by_hand().float(), torch.Generator().manual_seed(0))
    assert unexplained(states, counts) < 1e-9
    torch.manual_seed(0)
    assert unexplained(*after_the_same_days(CountingRNN(16, 32), torch.Generator().manual_seed(0))) > 0.1
