"""Bad input is refused by name: which argument, what came, what was expected.

Shapes are written once, as jaxtyping annotations. `checked` reads them, so that what a reader sees in a signature
is what the function enforces. What a shape cannot say is one line of `expect` or `finite`.
"""

import functools
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from beartype import BeartypeConf
from beartype.door import is_bearable
from jaxtyping import AbstractArray, jaxtyped

from attend.core.types import Below, MayBeEmpty, Rule

__all__ = ["checked", "expect", "finite", "recipe"]

F = TypeVar("F", bound=Callable)
_WHOLE_NUMBERS_ARE_FLOATS = BeartypeConf(is_pep484_tower=True)
_PLAIN = (bool, bytes, dict, float, int, list, str)
"""Types whose exact instances fit them, whatever they hold."""


def expect(holds: bool, name: str, got: object, expected: str) -> None:
    """Raise `ValueError("name: got …, expected …")` unless `holds`."""
    if not holds:
        raise ValueError(f"{name}: got {_describe(got)}, expected {expected}")


def finite(name: str, values: torch.Tensor) -> None:
    """Refuse a tensor that holds nan or infinity; the message says how many and where the first one stands.

    A tensor whose values cannot be read is let through: on the meta device, while torch.export traces, within vmap.
    """
    # One nan or infinity is enough to spoil a sum, and a sum is the cheapest look at all values.
    if _read(lambda: math.isfinite(values.detach().sum().item()), unknown=True):
        return
    bad = ~torch.isfinite(values)
    if bad.any():
        first = tuple(bad.nonzero()[0].tolist())
        got = f"{int(bad.sum())} non-finite values (the first at {first})"
        raise ValueError(f"{name}: got {got}, expected finite numbers")


def _read(question: Callable[[], bool], unknown: bool) -> bool:
    """The answer that a tensor's values give, or `unknown` where torch refuses to tell them."""
    try:
        return question()
    except RuntimeError:
        return unknown


def checked(function: F | None = None, *, may_be_nonfinite: tuple[str, ...] = ()) -> F:
    """Refuse arguments that do not fit the annotations of `function`, and tensors that are empty or not finite.

    Array shapes share their letters within one call: `x: Float[Tensor, "B T D"]` and `state: Float[Tensor, "B H"]`
    must agree on B; `"B T {self.input_size}"` is the width of the module itself. What a type cannot say stands as a
    `Rule` in an Annotated type (attend.core.types). Tuples are looked through; a named one has letters of its own.
    What a module is given must be of the floating type of its parameters, and the floating tensors of one call of one
    type (a tuple may hold what it likes), unless autocast is on. `may_be_nonfinite` names tensors that may hold nan or
    infinity. Raises ValueError; a missing or unknown argument stays Python's own TypeError. While torch.compile or
    torch.export trace a function, it is not checked.
    """
    if function is None:
        return functools.partial(checked, may_be_nonfinite=may_be_nonfinite)
    signature = inspect.signature(function)
    hints: dict[str, object] = {}
    referring: set[str] = set()
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    annotations = tuple(parameter.annotation for parameter in signature.parameters.values())
    plain = all(annotation in _PLAIN for annotation in annotations)

    @functools.wraps(function)
    def refusing(*args, **kwargs):
        # Some are asked for every line of a corpus: what is plainly right costs them next to nothing.
        as_annotated = plain and not kwargs and tuple(map(type, args)) == annotations
        if as_annotated or torch.compiler.is_compiling():
            return function(*args, **kwargs)
        if not hints:
            hints.update(typing.get_type_hints(function, include_extras=True))
            referring.update(name for name, hint in hints.items() if _refers(hint))
        known: dict[str, int] = {}
        floats: dict[str, torch.Tensor] = {}
        given = signature.bind(*args, **kwargs).arguments
        whole = {**defaults, **given}
        for name, value in given.items():
            if signature.parameters[name].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                continue
            if name in hints and not _plain((value,), hints[name]):
                hint = _bound(hints[name], whole) if name in referring else hints[name]
                _fits(name, value, hint, known, whole)
                for part in _tensors(value):
                    if MayBeEmpty not in typing.get_args(hints[name]):
                        expect(part.numel() > 0, name, part, "a tensor with at least one value")
                    if part.is_floating_point():
                        _of_the_models_type(name, part, given.get("self"))
                        if part is value:
                            _of_one_type(name, part, floats)
                        if name not in may_be_nonfinite:
                            finite(name, part)
        return function(*args, **kwargs)

    refusing.checked = True
    return refusing if plain else jaxtyped(refusing, typechecker=None)


@typing.dataclass_transform(frozen_default=True)
def recipe(cls: type) -> type:
    """A frozen dataclass whose constructor is `checked`: what can be repeated is written down, and fits its types."""
    cls = dataclass(frozen=True)(cls)
    cls.__init__ = checked(cls.__init__)
    return cls


def _fits(name: str, value: object, hint: object, known: dict[str, int], given: Mapping[str, object]) -> None:
    """Refuse `value` unless it fits `hint`; remember the sizes that its letters now stand for."""
    value = value.item() if isinstance(value, np.generic) else value
    if (hint in (int, float) and isinstance(value, bool)) or not _every(value, hint):
        spelled = re.sub(r"\{([\w.]+)\}", lambda found: str(_looked_up(found[1], given)), _spell(hint, known))
        raise ValueError(f"{name}: got {_describe(value)}, expected {spelled}")
    if isinstance(value, torch.Tensor):
        for option in typing.get_args(hint) or (hint,):
            if _is_array(option) and isinstance(value, option) and "..." not in option.dim_str:
                sizes = zip(option.dim_str.split(), value.shape, strict=False)
                known.update((letter, size) for letter, size in sizes if letter.isidentifier() and letter != "_")


def _refers(hint: object) -> bool:
    """Has the hint a rule that refers to another argument?"""
    return any(isinstance(part, Below) or _refers(part) for part in typing.get_args(hint))


def _bound(hint: object, given: Mapping[str, object]) -> object:
    """The hint, with the numbers that its `Below` rules refer to."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated and isinstance(options[1], Below):
        return typing.Annotated[options[0], options[1](_looked_up(options[1].limit, given))]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_bound(option, given) for option in options)]  # noqa: UP007
    return hint


def _tensors(value: object) -> Iterator[torch.Tensor]:
    """The tensors of an argument: itself, or what stands in its tuples."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            if isinstance(part, (torch.Tensor, tuple)):
                yield from _tensors(part)


def _of_the_models_type(name: str, value: torch.Tensor, owner: object) -> None:
    """Refuse a float64 tensor for a float32 model (and so on), which torch would refuse without the argument's name."""
    if not isinstance(owner, torch.nn.Module) or "_parameters" not in vars(owner):
        return  # no model, or one that is only being made
    dtypes = (weight.dtype for weight in owner.parameters() if weight.is_floating_point())
    first = next(dtypes, value.dtype)
    if value.dtype == first or value.dtype in dtypes or torch.is_autocast_enabled(value.device.type):
        return
    expected = f"a {str(first).removeprefix('torch.')} tensor, as the weights of {type(owner).__name__} are"
    raise ValueError(f"{name}: got {_describe(value)}, expected {expected}")


def _of_one_type(name: str, value: torch.Tensor, earlier: dict[str, torch.Tensor]) -> None:
    """Refuse a float64 tensor beside a float32 one; `earlier` is the first of the call, by its name."""
    if not earlier:
        earlier[name] = value
    ((first, other),) = earlier.items()
    if value.dtype != other.dtype and not torch.is_autocast_enabled(value.device.type):
        expected = f"a {str(other.dtype).removeprefix('torch.')} tensor, as {first} is"
        raise ValueError(f"{name}: got {_describe(value)}, expected {expected}")


def _looked_up(path: str, given: Mapping[str, object]) -> object:
    """The value of `self.width`, or of another argument, in a shape that refers to it."""
    first, *rest = path.split(".")
    return functools.reduce(getattr, rest, given[first])


def _every(value: object, hint: object) -> bool:
    """Does `value` fit `hint`, down to every item of a sequence or mapping? (beartype itself looks at one of them.)"""
    if _plain((value,), hint):
        return True
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated and isinstance(options[1], Rule):
        truth = options[0] in (int, float) and isinstance(value, bool)
        return not truth and _every(value, options[0]) and _holds(options[1], value)
    if origin in (typing.Union, types.UnionType):
        return any(_every(value, option) for option in options)
    if origin is tuple and options[-1:] != (Ellipsis,):
        return isinstance(value, tuple) and len(value) == len(options) and all(map(_every, value, options))
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        return _plain(value, options[0]) or all(_every(item, options[0]) for item in value)
    if _is_named_tuple(hint):
        return isinstance(value, hint) and _one_by_one(value, hint)
    if origin in (Sequence, list, Mapping, dict):
        if not isinstance(value, origin) or isinstance(value, str):
            return False
        items = value.values() if isinstance(value, Mapping) else value
        return _plain(items, options[-1]) or all(_apart(item, options[-1]) for item in items)
    return is_bearable(value, hint, conf=_WHOLE_NUMBERS_ARE_FLOATS)


def _plain(items: Iterable[object], hint: object) -> bool:
    """Is every item of just this plain type? A corpus has hundreds of thousands of words."""
    return hint in _PLAIN and set(map(type, items)) <= {hint}


def _holds(rule: Rule, value: object) -> bool:
    """Does a rule hold, as far as values are known?"""
    return _read(lambda: rule.holds(value), unknown=True) if isinstance(value, torch.Tensor) else rule.holds(value)


def _one_by_one(value: tuple, named: type) -> bool:
    """Do the fields of a named tuple fit its annotations? Its letters are its own."""
    with jaxtyped("context"):
        return all(map(_every, value, _fields(named).values()))


def _apart(item: object, hint: object) -> bool:
    """Does one item of many fit, whatever sizes the letters of the other items stand for?"""
    with jaxtyped("context"):
        return _every(item, hint)


def _is_named_tuple(hint: object) -> bool:
    return inspect.isclass(hint) and issubclass(hint, tuple) and hasattr(hint, "_fields")


@functools.cache
def _fields(named: type) -> dict[str, object]:
    """The annotations of a named tuple, in order."""
    hints = typing.get_type_hints(named, include_extras=True)
    return {name: hints.get(name, typing.Any) for name in named._fields}


def _is_array(hint: object) -> bool:
    return inspect.isclass(hint) and issubclass(hint, AbstractArray)


def _spell(hint: object, known: dict[str, int]) -> str:
    """A type in words: `a Float tensor of shape (B, T, D) with B = 4`."""
    if _is_array(hint):
        letters = hint.dim_str.split()
        bound = ", ".join(f"{letter} = {known[letter]}" for letter in letters if letter in known)
        kind = hint.__name__.split("[")[0]
        return f"a {kind} tensor of shape ({', '.join(letters)})" + (f" with {bound}" if bound else "")
    if typing.get_origin(hint) is tuple:
        return f"({', '.join(_spell(option, known) for option in typing.get_args(hint))})"
    if _is_named_tuple(hint):
        return f"{hint.__name__}({', '.join(f'{name}: {_spell(of, {})}' for name, of in _fields(hint).items())})"
    if isinstance(hint, type) and typing.get_origin(hint) is None:
        return "None" if hint is type(None) else f"a value of type {hint.__name__}"
    options = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated and isinstance(options[1], Rule):
        kind = f"{_spell(options[0], known)}, " if _is_array(options[0]) else ""
        return kind + options[1].expected
    if typing.get_origin(hint) is typing.Literal:
        return f"one of {', '.join(map(repr, options))}"
    if options and typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(_spell(option, known) for option in options)
    return str(hint).replace("typing.", "")


def _describe(value: object) -> str:
    if isinstance(value, torch.Tensor) and value.ndim + value.numel() > 1:
        return f"a {str(value.dtype).removeprefix('torch.')} tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple) and any(isinstance(part, torch.Tensor) for part in value):
        return f"{type(value).__name__ if hasattr(value, '_fields') else ''}({', '.join(map(_describe, value))})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"a {type(value).__name__} of {value.dtype} and shape {tuple(value.shape)}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '…'} ({type(value).__name__})"
