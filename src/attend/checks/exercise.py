"""What every exercise shares: an answer is not there yet, wrong by name, or right."""

import copy
import dis
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

NOT_YET = "Not yet: put your answer in the place of the three dots, and run this cell again."
NOTHING = "your function came to its end and gave nothing back: it needs a `return`"
EMPTY = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
"""What a function consists of in which nothing was written."""


class Wrong(Exception):
    """An answer that breaks a claim; the message names the claim."""


@dataclass(frozen=True)
class Outcome:
    """What a checker found. `state` is "not yet", "wrong" or "right"; `says` is one or two lines for the reader."""

    state: str
    says: str

    def __repr__(self) -> str:
        return self.says


class Untouched(Exception):
    """The answer is still the stub."""


def exercise(check: Callable[..., str]) -> Callable[..., Outcome]:
    """Turn `check(*answers) -> praise` into a checker that never breaks a page.

    Each answer is a function or a value. An answer that is `...` or None, or that returns `...`, or a function without
    a line, gives "not yet"; a `Wrong` raised by the check gives "wrong" with its message; an exception inside the
    reader's own function gives "wrong" with what it said. The reader's function gets tensors of its own, to change in
    place as it likes.
    """
    wanted = [one.annotation in (Callable, "Callable") for one in inspect.signature(check).parameters.values()]

    @functools.wraps(check)
    def checker(*answers) -> Outcome:
        if len(answers) != len(wanted):
            asked = f"{len(wanted)} answer{'s' * (len(wanted) > 1)}"
            return Outcome("wrong", f"Not right: the checker takes {asked}, as its cell does, got {len(answers)}")
        try:
            with torch.random.fork_rng(devices=()):  # the reader's own random numbers go on as if nothing had been
                praise = check(*(_guarded(*answer) for answer in zip(answers, wanted, strict=True)))
        except Untouched:
            return Outcome("not yet", NOT_YET)
        except Wrong as broken:
            return Outcome("wrong", f"Not right: {broken}")
        return Outcome("right", f"Right. {praise}")

    return checker


def _guarded(answer, function: bool):
    """The answer, made to say by itself when it is untouched or stumbles."""
    if answer is None or answer is ...:
        raise Untouched
    if inspect.isclass(answer) and not function:
        return answer
    if not callable(answer):
        if function:
            raise Wrong(f"the answer must be a function, got {answer!r}")
        return answer

    @functools.wraps(answer)
    def call(*args, **kwargs):
        with blame("your function"):
            result = answer(*map(_own, args), **{name: _own(value) for name, value in kwargs.items()})
        if result is ... or (result is None and untouched(answer)):
            raise Untouched
        if result is None:
            raise Wrong(NOTHING)
        return result

    return call


def _own(value):
    """A tensor, a list or a dict as a copy that nobody else reads; everything else as it is."""
    if isinstance(value, Tensor):
        return value.clone()
    return copy.deepcopy(value) if isinstance(value, list | dict) else value


def untouched(function) -> bool:
    """Whether nothing was written into a function."""
    code = getattr(function, "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= EMPTY


@contextmanager
def blame(whose: str, where: str = "") -> Iterator[None]:
    """What stops inside is the reader's: `whose` stopped `where` with this exception. Findings of a check pass."""
    try:
        yield
    except (Wrong, Untouched):
        raise
    except Exception as stumble:
        place = f" {where}" if where else ""
        raise Wrong(f"{whose} stopped{place} with {type(stumble).__name__}: {stumble}") from stumble


def written_class(made: object, *methods: str, parent: type[nn.Module] = nn.Module) -> None:
    """Raise Wrong unless `made` is a class derived from `parent`, and Untouched while one of `methods` is a stub."""
    if not inspect.isclass(made) or not issubclass(made, nn.Module):
        raise Wrong("the answer is the class itself, derived from nn.Module, not an object made of it")
    if not issubclass(made, parent):
        raise Wrong(f"derive your class from {parent.__name__}, so that its constructor is there")
    own = [vars(made).get(method) for method in methods]
    if any(untouched(method) for method in own) or (parent is not nn.Module and None in own):
        raise Untouched
