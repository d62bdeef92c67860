"""What an answer has to be before it can be right: so many parts, a number, a tensor of one shape.

Each function returns the answer in that form, or raises `Wrong` with what came and what was expected.
"""

import math
import sys

import numpy as np
import torch
from torch import Tensor

from attend.checks.exercise import Wrong


def parts(answer: object, length: int, what: str = "the summary") -> tuple:
    """The answer as a tuple of `length` values."""
    try:
        values = tuple(answer)
    except TypeError:
        raise Wrong(f"{what} must be {length} values, as in a tuple, got {answer!r}") from None
    if len(values) != length:
        raise Wrong(f"{what} must be {length} values, got {len(values)}: {values!r}")
    return values


def single(answer: object, what: str = "the answer") -> object:
    """The answer, where it is one value; a tensor or an array with one element is opened."""
    return number(answer, what) if isinstance(answer, Tensor | np.ndarray | np.generic) else answer


def number(answer: object, what: str = "the answer") -> float:
    """The answer as one finite number; a tensor or an array with one element will do."""
    if isinstance(answer, Tensor | np.ndarray | np.generic) and math.prod(answer.shape) == 1:
        answer = answer.item()
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not abs(answer) <= sys.float_info.max:
        raise Wrong(f"{what} must be a number, got {answer!r}")
    return float(answer)


def whole(answer: object, what: str = "the answer") -> int:
    """The answer as one whole number."""
    value = number(answer, what)
    if value != int(value):
        raise Wrong(f"{what} must be a whole number, got {answer!r}")
    return int(value)


def floats(answer: object, wanted: str) -> Tensor:
    """The answer as floats of whatever shape; nested lists and arrays of numbers will do."""
    if isinstance(answer, np.ndarray):
        answer = np.ascontiguousarray(answer)  # torch refuses an array that runs backwards, such as row[::-1]
    try:
        return torch.as_tensor(answer, dtype=torch.float32)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise Wrong(f"{wanted}, got {answer!r}") from None


def tensor(answer: object, *shape: int, what: str = "the answer") -> Tensor:
    """The answer as finite floats of this shape; nested lists of numbers will do."""
    wanted = f"{what} must be a tensor of shape {shape}"
    values = floats(answer, wanted)
    if values.shape != shape:
        raise Wrong(f"{wanted}, got {tuple(values.shape)}")
    if not bool(torch.isfinite(values).all()):
        raise Wrong(f"{wanted} with finite numbers, got {values.tolist()}")
    return values


def drawn(*shape: int, seed: int) -> Tensor:
    """Normal numbers to try an answer with."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def close(got: Tensor, right: Tensor) -> bool:
    """Are they alike, in shape and in four digits? Somebody may have computed the same in another order."""
    return got.shape == right.shape and torch.allclose(got, right, rtol=1e-4, atol=1e-5)


def recognise(got: Tensor, mistakes: dict[str, Tensor]) -> None:
    """Raise `Wrong` with the words of the first typical mistake that gives just this answer."""
    for says, mistaken in mistakes.items():
        if got.shape == mistaken.shape and torch.allclose(got, mistaken, atol=1e-5):
            raise Wrong(says)


def truth(answer: object, what: str = "the answer") -> bool:
    """The answer as True or False; a tensor or an array with one element will do."""
    if isinstance(answer, Tensor | np.ndarray | np.generic) and math.prod(answer.shape) == 1:
        answer = answer.item()
    if isinstance(answer, Tensor | np.ndarray) or answer not in (True, False):
        raise Wrong(f"{what} must be True or False, got {answer!r}")
    return bool(answer)
