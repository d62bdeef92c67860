"""What page read measures is what its sentences are about."""

import torch
from torch.nn import functional as F

from attend.evidence.read import frequent
from attend.tasks import faces


def test_the_most_frequent_number_is_said_and_of_equals_the_last():
    numbers = torch.tensor([[3, 5, 3, 7], [1, 2, 4, 6]])
    batch = faces.sample(2, 4)._replace(value=F.one_hot(numbers, 10).float(), answer=torch.tensor([3, 6]))
    assert frequent(batch) == 1
    assert frequent(batch._replace(answer=torch.tensor([7, 1]))) == 0
