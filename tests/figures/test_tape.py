"""Heads on a tape: full where the weight is, slot 0 on top, and odd tables are refused."""

import pytest
import torch

from attend.figures.tape import tape

WEIGHTS = torch.tensor([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0]])


def test_weights_are_full_where_the_head_stands(drawn):
    tape({"write": (WEIGHTS, "input"), "read": (WEIGHTS.flip(1), "attention")}, ["4", "END"])
    write, read = drawn[0].axes
    assert write.images[0].get_array()[..., 3].tolist() == [[1, 0.25], [0, 0.75], [0, 0]]
    assert read.images[0].get_array()[..., 3].tolist() == [[0, 0], [0, 0.75], [1, 0.25]]
    assert write.get_ylim() == (2.5, -0.5)
    assert [tick.get_text() for tick in read.get_xticklabels()] == ["4", "END"]


def test_many_steps_are_counted(drawn):
    tape({"write": (WEIGHTS.repeat(50, 1), "input")}, ["·"] * 100)
    assert drawn[0].axes[0].get_xlabel() == "step"


@pytest.mark.parametrize(
    ("heads", "steps"),
    [({}, ["4"]), ({"write": (WEIGHTS, "input")}, ["4"]), ({"write": (2 * WEIGHTS, "input")}, ["4", "5"])],
)
def test_what_cannot_be_drawn_is_refused_by_name(heads, steps):
    with pytest.raises(ValueError, match="heads"):
        tape(heads, steps)


def calls():
    return {tape: {"heads": {"write": (WEIGHTS, "input")}, "steps": ["4", "END"]}}
