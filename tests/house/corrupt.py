"""Valid calls of public functions, and every way in which one argument can be broken.

`calls()` in a test file gives each public function, class or bound method of its module one valid call. `good()` there
names what looks broken and is good input in truth: `{function: {"seed": {"zero", "negative"}}}`.
"""

import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from jaxtyping import AbstractArray
from torch import nn

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"(?P<argument>\w+)(?:\[.*?\]|\.\w+)*(?:, \w+)*: got .+, expected .+", re.S)


@dataclass(frozen=True)
class Call:
    """One valid call."""

    function: Callable
    arguments: Callable[[], dict]
    good: dict[str, set[str]]

    @property
    def name(self) -> str:
        """`attend.memory.elman.Elman.sequence`, the function's address."""
        return address(self.function)

    def fresh(self) -> dict[str, Any]:
        """The arguments, tensors and lists copied so that no call can spoil the next."""
        return {name: copied(value) for name, value in self.arguments().items()}


def address(function) -> str:
    """Module and qualified name of a function, a class or a bound method."""
    function = getattr(function, "__func__", function)
    return f"{function.__module__}.{function.__qualname__}"


def copied(value):
    """A copy of what a call could change in place."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return value.copy() if isinstance(value, np.ndarray | list | dict) else value


def places() -> list[str]:
    """The test files that have valid calls of their module's functions: `memory/test_elman.py`."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [str(file.relative_to(TESTS)) for file in files if "\ndef calls():" in file.read_text(encoding="utf-8")]


@cache
def calls_of(place: str) -> tuple[Call, ...]:
    """The valid calls that a test file knows. Made when they are asked for, not when tests are collected."""
    space = importlib.import_module(".".join(["tests", *Path(place).with_suffix("").parts]))
    kinds_of = space.good() if hasattr(space, "good") else {}
    good = {address(function): kinds for function, kinds in kinds_of.items()}
    wrong = [name for name, kinds in good.items() if not isinstance(kinds, dict)]
    assert not wrong, f"{place}: of {', '.join(wrong)} good() must give a dict: argument -> set of kinds"
    found = []
    for function, arguments in space.calls().items():
        make = arguments if callable(arguments) else (lambda given=arguments: given)
        found.append(Call(function, make, good.get(address(function), {})))
    return tuple(found)


def annotation(function, name):
    """The annotation of an argument, resolved where Python can."""
    target = function.__init__ if inspect.isclass(function) else getattr(function, "__func__", function)
    try:
        return inspect.get_annotations(inspect.unwrap(target), eval_str=True).get(name)
    except Exception:
        return None


def letters(function, name) -> list[str] | None:
    """The shape letters of a tensor argument, when its annotation is one jaxtyping array."""
    hint = annotation(function, name)
    hint = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint
    if inspect.isclass(hint) and issubclass(hint, AbstractArray) and "..." not in hint.dim_str:
        return hint.dim_str.split()
    return None


def breakages(call: Call, name: str, value) -> dict[str, st.SearchStrategy]:
    """What can be wrong with `value`, by kind, without the kinds that are good input for this argument."""
    optional = annotation(call.function, name)
    kinds = {} if type(None) in typing.get_args(optional) or value is None else {"none": st.just(None)}
    if isinstance(value, torch.Tensor):
        kinds |= tensor_breakages(call, name, value)
    elif isinstance(value, bool):
        kinds |= {"type": st.sampled_from(["yes", 2.5, [True]])}
    elif isinstance(value, int):
        kinds |= {"type": st.sampled_from(["3", 2.5, [3], torch.ones(2)])}
        kinds |= {"zero": st.just(0), "negative": st.integers(-9, -1)}
    elif isinstance(value, float):
        kinds |= {"type": st.sampled_from(["x", [0.5], torch.ones(2)])}
        kinds |= {"nonfinite": st.sampled_from([float("nan"), float("inf"), -float("inf")])}
    elif isinstance(value, str):
        kinds |= {"type": st.sampled_from([3, ["x"]]), "word": st.sampled_from(["", "no such word"])}
    elif value is not None:
        kinds |= {"type": st.sampled_from([3, 2.5])}
    return {kind: values for kind, values in kinds.items() if kind not in call.good.get(name, set())}


def tensor_breakages(call: Call, name: str, value: torch.Tensor) -> dict[str, st.SearchStrategy]:
    """Another rank, dtype, Python type; a value that is no number; no values at all; a size that does not fit."""
    other = value.long() if value.is_floating_point() else value.double()
    ranks = [value[None]] + ([value[0]] if value.ndim else [])
    kinds = {
        "type": st.sampled_from(["x", value.tolist()]),
        "dtype": st.sampled_from([other, value != 0] if value.dtype != torch.bool else [value.double()]),
        "rank": st.sampled_from(ranks),
    }
    if value.is_floating_point() and value.numel():
        bad = st.sampled_from([float("nan"), float("inf"), -float("inf")])
        kinds["nonfinite"] = st.builds(lambda at, x: placed(value, at, x), st.integers(0, value.numel() - 1), bad)
    others = [other for key, other in call.arguments().items() if key != name and isinstance(other, torch.Tensor)]
    if value.is_floating_point() and any(other.dtype == value.dtype for other in others):
        kinds["precision"] = st.just(value.double() if value.dtype == torch.float32 else value.float())
    if value.ndim:
        axes = range(value.ndim)
        kinds["empty"] = st.sampled_from([value.narrow(axis, 0, 0).clone() for axis in axes])
        shared = [axis for axis in axes if is_shared(call, name, axis)]
        if shared:
            kinds["width"] = st.sampled_from([torch.cat([value, value.narrow(axis, 0, 1)], axis) for axis in shared])
    return kinds


def placed(value: torch.Tensor, at: int, x: float) -> torch.Tensor:
    """The tensor with one value replaced."""
    spoilt = value.clone()
    spoilt.view(-1)[at] = x
    return spoilt


def is_shared(call: Call, name: str, axis: int) -> bool:
    """True when another tensor of the call, or the model that is called, fixes the size of this axis."""
    own = letters(call.function, name)
    if own is not None and len(own) > axis and own[axis].startswith("{"):
        return True
    if own is None or len(own) <= axis or not own[axis].isidentifier():
        return False
    tensors = [other for other, value in call.arguments().items() if other != name and isinstance(value, torch.Tensor)]
    if any(own[axis] in (letters(call.function, other) or []) for other in tensors):
        return True
    owner = getattr(call.function, "__self__", None)
    return isinstance(owner, torch.nn.Module) and own[axis] not in ("B", "T", "S", "_")


def public(package, rooms) -> dict[str, Callable]:
    """Every public function, class with its own __init__, and public method with arguments, by address."""
    found = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        parts = info.name.split(".")
        if parts[1] not in rooms or any(part.startswith("_") for part in parts):
            continue
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", None) != info.name:
                continue
            if getattr(thing, "_is_protocol", False):
                continue  # a shape of other classes: nothing of it can be called
            if inspect.isclass(thing):
                found |= {address(f): f for f in public_methods(thing)}
            elif inspect.isroutine(thing) and takes_arguments(thing, 0):
                found[address(thing)] = thing
    return found


ENTRIES = ("forward", "generate")
"""Methods of a model that must refuse bad input; its other methods, such as `step`, are called by these."""


def public_methods(cls):
    """The class itself when it checks what it is made of, and its own public methods that take arguments."""
    if issubclass(cls, BaseException):
        return
    own = vars(cls)
    if "__init__" in own and not hasattr(cls, "__dataclass_fields__") and takes_arguments(own["__init__"], 1):
        yield cls
    for name, method in own.items():
        public = not name.startswith("_") and inspect.isfunction(method) and takes_arguments(method, 1)
        if public and (not issubclass(cls, nn.Module) or name in ENTRIES or hasattr(method, "checked")):
            yield method


def takes_arguments(function, bound: int) -> bool:
    """True when a caller passes something."""
    return len(inspect.signature(function).parameters) > bound
