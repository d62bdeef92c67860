"""What every exercise shares: an answer is not there yet, wrong by name, or right."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

NOT_YET = "Not yet: put your answer in the place of the three dots, and run this cell again."


class Wrong(Exception):
    """An answer that breaks a claim; the message names the claim."""


@dataclass(frozen=True)
class Outcome:
    """What a checker found. `state` is "not yet", "wrong" or "right"; `says` is one or two lines for the reader."""

    state: str
    says: str

    def __repr__(self) -> str:
        return self.says


class _Untouched(Exception):
    """The answer is still the stub."""


def exercise(check: Callable[..., str]) -> Callable[..., Outcome]:
    """Turn `check(*answers) -> praise` into a checker that never breaks a page.

    Each answer is a function or a value. An answer that is, or returns, `...` or None gives "not yet"; a `Wrong`
    raised by the check gives "wrong" with its message; an exception inside the reader's own function gives "wrong"
    with what it said.
    """

    @functools.wraps(check)
    def checker(*answers) -> Outcome:
        try:
            praise = check(*(_guarded(answer) for answer in answers))
        except _Untouched:
            return Outcome("not yet", NOT_YET)
        except Wrong as broken:
            return Outcome("wrong", f"Not right: {broken}")
        return Outcome("right", f"Right. {praise}")

    return checker


def _guarded(answer):
    """The answer, made to say by itself when it is untouched or stumbles."""
    if answer is None or answer is ...:
        raise _Untouched
    if not callable(answer):
        return answer

    @functools.wraps(answer)
    def call(*args, **kwargs):
        try:
            result = answer(*args, **kwargs)
        except Exception as stumble:
            raise Wrong(f"your function stopped with {type(stumble).__name__}: {stumble}") from stumble
        if result is None or result is ...:
            raise _Untouched
        return result

    return call
