"""Banks are handed out whole, in their order, and drawn only when they are needed."""

from itertools import islice
from typing import NamedTuple

import pytest
import torch

from attend.tasks import banks
from attend.tasks.banks import in_batches, shuffled
from attend.tasks.clothes import clothes


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


def test_each_bank_is_handed_out_whole_and_the_next_is_drawn_when_it_is_empty():
    drawn = []

    def draw():
        drawn.append(len(drawn))
        return Pair(torch.arange(6) + 10 * drawn[-1], torch.full((6, 2), drawn[-1]))

    batches = in_batches(draw, 3)
    assert drawn == []
    first, second, third = islice(batches, 3)
    assert isinstance(first, Pair)
    assert [batch.first.tolist() for batch in (first, second, third)] == [[0, 1, 2], [3, 4, 5], [10, 11, 12]]
    assert third.second.tolist() == [[1, 1]] * 3
    assert drawn == [0, 1]


def test_a_round_holds_every_example_once_and_the_next_has_another_order():
    pair = Pair(torch.arange(6), 2 * torch.arange(6)[:, None])
    batches = list(islice(shuffled(pair, 3, torch.Generator().manual_seed(0)), 4))
    assert all(isinstance(batch, Pair) and torch.equal(batch.second[:, 0], 2 * batch.first) for batch in batches)
    first, second = (torch.cat([batch.first for batch in half]).tolist() for half in (batches[:2], batches[2:]))
    assert sorted(first) == sorted(second) == list(range(6))
    assert first != second


def test_what_is_left_over_at_the_end_of_a_round_is_left_out():
    batches = list(islice(shuffled(Pair(torch.arange(5), torch.zeros(5)), 2, torch.Generator().manual_seed(0)), 2))
    assert len(set(torch.cat([batch.first for batch in batches]).tolist())) == 4


def test_batches_of_no_size_are_refused():
    with pytest.raises(ValueError, match="size: got 0"):
        in_batches(tuple, 0)
    for size in (0, 6):
        with pytest.raises(ValueError, match=f"size: got {size} .* 1 to 5"):
            shuffled(Pair(torch.arange(5), torch.zeros(5)), size, torch.Generator())


def calls():
    return {
        banks.in_batches: {"draw": clothes, "size": 4},
        banks.shuffled: {"of": clothes("test"), "size": 4, "generator": torch.Generator()},
    }
