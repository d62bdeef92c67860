"""What page read measures is what its sentences are about."""

import torch
from torch.nn import functional as F

from attend.evidence.read import by_length, frequent
from attend.tasks import faces


def test_the_most_frequent_number_is_said_and_of_equals_the_last():
    numbers = torch.tensor([[3, 5, 3, 7], [1, 2, 4, 6]])
    batch = faces.sample(2, 4)._replace(value=F.one_hot(numbers, 10).float(), answer=torch.tensor([3, 6]))
    assert frequent(batch) == 1
    assert frequent(batch._replace(answer=torch.tensor([7, 1]))) == 0


def test_the_curves_fall_with_the_length_and_begin_at_one():
    for reader in ("attention", "Bayes", "fixed kernel", "GRU, 4,000 steps", "most frequent number"):
        shares = by_length(reader)
        assert shares[0] == 1
        assert shares == sorted(shares, reverse=True)
