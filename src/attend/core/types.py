"""Constraints on arguments as types: written on a signature, enforced by `attend.core.expect.checked`.

`Positive` on a parameter says what a reader of the signature wants to know and what a caller is told when it is not
so: "num_heads: got 0 (int), expected a positive whole number".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True)
class Rule:
    """What must hold of a value beyond its type, and how to say so."""

    expected: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Below:
    """Whole numbers from 0 up to, not including, another argument or an attribute of one, as in `"self.vocab_size"`."""

    limit: str

    def __call__(self, limit: int) -> Rule:
        """The rule, once the limit is known. It holds for a number and for a tensor of numbers."""
        return Rule(f"whole numbers from 0 to {limit - 1}", lambda value: _within(value, limit))


def _within(value: int | Tensor, limit: int) -> bool:
    if isinstance(value, Tensor):
        return value.numel() == 0 or (value.min().item() >= 0 and value.max().item() < limit)
    return 0 <= value < limit


class Tokens:
    """`Tokens["B T", "self.vocab_size"]`: whole numbers of that shape, each one of so many tokens."""

    def __class_getitem__(cls, shape_and_limit: tuple[str, str]) -> Any:
        """The shape in jaxtyping's words, and where the number of tokens stands."""
        shape, limit = shape_and_limit
        return Annotated[Int[Tensor, shape], Below(limit)]


class Mask:
    """`Mask["B T"]`: a boolean mask of that shape with at least one True along the last axis of every row."""

    def __class_getitem__(cls, shape: str) -> Any:
        """The shape in jaxtyping's words."""
        return Annotated[Bool[Tensor, shape], Rule("at least one True in every row", _one_in_each_row)]


class Lengths:
    """`Lengths["B T"]`: a boolean mask of that shape, True at the first steps of every row, one at least."""

    def __class_getitem__(cls, shape: str) -> Any:
        """The shape in jaxtyping's words."""
        return Annotated[Bool[Tensor, shape], Rule("True at the first steps of every row, one at least", _first_steps)]


def _first_steps(mask: Tensor) -> bool:
    return _one_in_each_row(mask) and not bool((mask[..., 1:] & ~mask[..., :-1]).any())


def _one_in_each_row(mask: Tensor) -> bool:
    return bool(mask.any(dim=-1).all())


def _at_least(least: float) -> Rule:
    """A number of at least `least`."""
    return Rule(f"a finite number of at least {least:g}", lambda value: least <= value < math.inf)


MayBeEmpty = Rule("any number of values, or none", lambda value: True)
"""`Annotated[Int[Tensor, "L"], MayBeEmpty]`: a tensor that `checked` takes with no value in it, too."""
Positive = Annotated[int, Rule("a positive whole number", lambda value: value > 0)]
NonNegative = Annotated[int, Rule("a whole number, 0 or more", lambda value: value >= 0)]
Plural = Annotated[int, Rule("a whole number above 1", lambda value: value > 1)]
Seed = Annotated[int, Rule("a whole number from 0 to 2**63 - 1", lambda value: 0 <= value < 2**63)]
Finite = Annotated[float, Rule("a finite number", math.isfinite)]
PositiveFloat = Annotated[float, Rule("a positive number", lambda value: 0 < value < math.inf)]
NonNegativeFloat = Annotated[float, Rule("a finite number, 0 or more", lambda value: 0 <= value < math.inf)]
Probability = Annotated[float, Rule("a probability from 0 to 1", lambda value: 0 <= value <= 1)]
DropRate = Annotated[float, Rule("a probability from 0 up to, not including, 1", lambda value: 0 <= value < 1)]
AtLeast2 = Annotated[float, _at_least(2)]
AtLeast10 = Annotated[int, Rule("a whole number of at least 10", lambda value: value >= 10)]
