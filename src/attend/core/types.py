"""Constraints on arguments as types: written on a signature, enforced by `attend.core.expect.checked`.

`Positive` on a parameter says what a reader of the signature wants to know and what a caller is told when it is not
so: "num_heads: got 0 (int), expected a positive whole number".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Rule:
    """What must hold of a value beyond its type, and how to say so."""

    expected: str
    holds: Callable[[Any], bool]


def at_least(least: float) -> Rule:
    """A number of at least `least`."""
    return Rule(f"a finite number of at least {least:g}", lambda value: least <= value < math.inf)


Positive = Annotated[int, Rule("a positive whole number", lambda value: value > 0)]
NonNegative = Annotated[int, Rule("a whole number, 0 or more", lambda value: value >= 0)]
Plural = Annotated[int, Rule("a whole number above 1", lambda value: value > 1)]
Finite = Annotated[float, Rule("a finite number", math.isfinite)]
PositiveFloat = Annotated[float, Rule("a positive number", lambda value: 0 < value < math.inf)]
NonNegativeFloat = Annotated[float, Rule("a finite number, 0 or more", lambda value: 0 <= value < math.inf)]
Probability = Annotated[float, Rule("a probability from 0 to 1", lambda value: 0 <= value <= 1)]
DropRate = Annotated[float, Rule("a probability from 0 up to, not including, 1", lambda value: 0 <= value < 1)]
