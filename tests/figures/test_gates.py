"""The picture of a gate on the adding task is drawn, and refuses what it cannot draw."""

import pytest
import torch

from attend.figures import gates


def test_opening_marks_two_numbers_and_draws_a_bar_a_step(drawn):
    x = torch.rand(10, 2, generator=torch.Generator().manual_seed(0))
    x[:, 1] = torch.eye(10)[2] + torch.eye(10)[7]
    gates.opening(x, torch.full((10,), 0.1), x[:, 1])
    above, *rows = drawn[0].axes
    assert above.lines[1].get_xdata().tolist() == [3, 8]
    assert [len(row.patches) for row in rows] == [10, 10]
    assert [bar.get_height() for bar in rows[1].patches] == x[:, 1].tolist()


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="taken: got"):
        gates.opening(torch.ones(4, 2), torch.ones(5), torch.ones(4))


def calls():
    return {gates.opening: {"x": torch.ones(6, 2), "taken": torch.ones(6), "heard": torch.ones(6)}}
