"""Constraints written as types are enforced by name, and say what was expected."""

from typing import Literal

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core import types
from attend.core.expect import checked


class Layer(nn.Module):
    @checked
    def __init__(self, width: types.Positive, drop: types.DropRate = 0.0, norm: Literal["pre", "post"] = "pre"):
        super().__init__()
        self.width = width

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.width}"],
        state: tuple[Float[Tensor, "B {self.width}"], Float[Tensor, "B {self.width}"]] | None = None,
    ) -> Tensor:
        return x


@pytest.mark.parametrize("bad", [0, -1, True, 2.0, "3", None])
def test_a_positive_whole_number(bad):
    with pytest.raises(ValueError, match=r"width: got .*, expected a positive whole number"):
        Layer(bad)


@pytest.mark.parametrize("bad", [1.0, -0.1, float("nan"), True])
def test_a_drop_rate(bad):
    with pytest.raises(ValueError, match=r"drop: got .*, expected a probability from 0 up to"):
        Layer(3, drop=bad)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (types.NonNegative, 0, -1),
        (types.Plural, 2, 1),
        (types.Seed, 0, -1),
        (types.Seed, 2**63 - 1, 2**63),
        (types.Finite, -1.5, float("inf")),
        (types.PositiveFloat, 1, 0.0),
        (types.NonNegativeFloat, 0.0, -1e-9),
        (types.Probability, 1.0, 1.01),
    ],
)
def test_every_constraint_takes_what_fits_and_refuses_what_does_not(kind, good, bad):
    @checked
    def take(value: kind):
        return value

    assert take(good) == good
    with pytest.raises(ValueError, match=r"^value: got"):
        take(bad)


def test_a_literal_names_its_choices():
    with pytest.raises(ValueError, match=r"norm: got 'mid' .*, expected one of 'pre', 'post'"):
        Layer(3, norm="mid")


def test_widths_of_a_module_are_part_of_its_shapes():
    layer = Layer(3)
    assert layer(torch.zeros(2, 4, 3)).shape == (2, 4, 3)
    with pytest.raises(ValueError, match=r"x: got .*\(2, 4, 5\), expected a Float tensor of shape \(B, T, 3\)"):
        layer(torch.zeros(2, 4, 5))


def test_a_state_of_two_tensors_is_checked_through():
    layer, x = Layer(3), torch.zeros(2, 4, 3)
    layer(x, (torch.zeros(2, 3), torch.zeros(2, 3)))
    with pytest.raises(ValueError, match=r"state: got .*\(2, 1\)"):
        layer(x, (torch.zeros(2, 3), torch.zeros(2, 1)))
    with pytest.raises(ValueError, match="state: got 6 non-finite"):
        layer(x, (torch.zeros(2, 3), torch.full((2, 3), float("nan"))))
