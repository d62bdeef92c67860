"""Bad input is refused by name: what came, what was expected."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect, finite


@checked
def read(
    x: Float[Tensor, "B T D"],
    h: Float[Tensor, "B H"] | None = None,
    mask: Bool[Tensor, "B T"] | None = None,
    steps: int = 1,
    rate: float = 0.1,
    words: Int[Tensor, "..."] | None = None,
) -> Float[Tensor, "B T D"]:
    """A function with one argument of each kind."""
    return x


X = torch.zeros(2, 3, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"x": torch.zeros(2, 3)},
            r"x: got a float32 tensor of shape \(2, 3\), expected a Float tensor of shape \(B, T, D\)",
        ),
        ({"x": X.long()}, r"x: got a int64 tensor"),
        ({"x": [1.0]}, r"x: got \[1\.0\] \(list\), expected a Float tensor"),
        (
            {"x": X, "h": torch.zeros(3, 5)},
            r"h: got .* \(3, 5\), expected a Float tensor of shape \(B, H\) with B = 2 or None",
        ),
        ({"x": X, "mask": torch.ones(2, 4, dtype=torch.bool)}, r"mask: got .* with B = 2, T = 3"),
        ({"x": X, "mask": torch.ones(2, 3)}, r"mask: got a float32 tensor"),
        ({"x": X, "steps": 2.0}, r"steps: got 2\.0 \(float\), expected a value of type int"),
        ({"x": X, "steps": True}, r"steps: got True \(bool\)"),
        ({"x": X, "rate": "fast"}, r"rate: got 'fast' \(str\), expected a value of type float"),
        ({"x": X, "words": X}, r"words: got a float32 tensor"),
    ],
)
def test_the_message_names_argument_given_and_expected(given, message):
    with pytest.raises(ValueError, match="^" + message):
        read(**given)


def test_what_fits_passes():
    everything = {"h": torch.zeros(2, 5), "mask": torch.ones(2, 3, dtype=torch.bool), "steps": 3, "rate": 1}
    assert read(X, words=torch.zeros(1, 1, 1, dtype=torch.long), **everything) is X


def test_numbers_of_numpy_are_numbers():
    read(X, steps=np.int64(2), rate=np.float32(0.5))
    with pytest.raises(ValueError, match="steps: got"):
        read(X, steps=np.float64(2.5))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (
            torch.zeros(2, 0, 4),
            r"x: got a float32 tensor of shape \(2, 0, 4\), expected a tensor with at least one value",
        ),
        (X + float("inf"), r"x: got 24 non-finite values"),
    ],
)
def test_empty_and_non_finite_tensors_are_refused(x, message):
    with pytest.raises(ValueError, match=message):
        read(x)


def test_non_finite_values_may_be_let_in_by_name():
    @checked(may_be_nonfinite=("scores",))
    def mask(scores: Float[Tensor, "T"], x: Float[Tensor, "T"]) -> Tensor:
        return scores + x

    minus = torch.tensor([0.0, -float("inf")])
    assert mask(minus, torch.zeros(2))[1] == -float("inf")
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        mask(minus, minus)


def test_a_missing_argument_stays_pythons_own_error():
    with pytest.raises(TypeError, match="'x'"):
        read()


@pytest.mark.parametrize("at", range(9))
def test_every_item_is_looked_at(at):
    @checked
    def take(sizes: Sequence[int], named: Mapping[str, Sequence[float]] | None = None) -> None:
        """A function that takes many numbers."""

    good = [1] * 9
    take(good, {"a": [1.0, 2]})
    bad = [*good[:at], 2.5, *good[at + 1 :]]
    with pytest.raises(ValueError, match="sizes: got"):
        take(bad)
    with pytest.raises(ValueError, match="named: got"):
        take(good, {"a": [0.5], "b": [*bad, "x"]})


def test_letters_are_bound_within_one_call_only():
    read(X)
    read(torch.zeros(5, 1, 1))


def test_expect_and_finite():
    expect(True, "n", 1, "anything")
    with pytest.raises(ValueError, match=r"^n: got -1 \(int\), expected a positive whole number"):
        expect(False, "n", -1, "a positive whole number")
    finite("x", X)
    bad = X.clone()
    bad[1, 2, 0], bad[1, 2, 3] = float("nan"), float("inf")
    with pytest.raises(
        ValueError, match=r"x: got 2 non-finite values \(the first at \(1, 2, 0\)\), expected finite numbers"
    ):
        finite("x", bad)


def test_a_long_value_is_cut():
    with pytest.raises(ValueError, match="…") as caught:
        read("a" * 500)
    assert len(str(caught.value)) < 200


def test_a_sum_too_large_for_its_type_is_no_reason_to_refuse():
    finite("x", torch.full((4,), 3e38))
    finite("x", torch.full((9,), 6e4, dtype=torch.float16))


def test_infinities_that_cancel_are_refused():
    with pytest.raises(ValueError, match=r"x: got 2 non-finite values \(the first at \(0,\)\)"):
        finite("x", torch.tensor([torch.inf, 1.0, -torch.inf]))
