"""What every suite says of one comparison."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Case(ABC):
    """Which unit, which pass, B sequences of T steps and width H.

    `fused` is False when torch may not use oneDNN, the library in which its LSTM is one call for all steps.
    """

    unit: str
    does: str
    B: int
    T: int
    H: int
    fused: bool = True

    @abstractmethod
    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed, ours first."""

    def row(self) -> dict:
        """What the result says of this case."""
        return asdict(self)
