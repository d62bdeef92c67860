"""Every recipe refuses a value that one of its fields cannot have, by the field's name."""

import importlib
import inspect
import pkgutil
from dataclasses import fields, is_dataclass, replace
from typing import get_type_hints

import pytest

import attend.recipes
from attend.core.types import Finite

WRONG = {
    bool: ["yes", 1.5],
    int: [-1, 2.5, "3", True],
    float: [-1.0, float("nan"), float("inf"), "x"],
    str: ["no such", 3],
}


def recipes():
    """The recipes of the package, each with its default fields."""
    for module in pkgutil.iter_modules(attend.recipes.__path__):
        if not module.name.startswith("_"):
            for thing in vars(importlib.import_module(f"attend.recipes.{module.name}")).values():
                own = inspect.isclass(thing) and thing.__module__ == f"attend.recipes.{module.name}"
                if own and thing.__name__.endswith("Recipe") and is_dataclass(thing) and not inspect.isabstract(thing):
                    yield thing


@pytest.mark.parametrize("made", list(recipes()), ids=lambda made: made.__name__)
def test_a_wrong_value_of_any_field_is_refused_by_its_name(made):
    right, kinds = made(), get_type_hints(made, include_extras=True)
    for field in fields(made):
        for wrong in WRONG.get(type(getattr(right, field.name)), [object(), -1]):
            if wrong == -1 and kinds[field.name] in (Finite, Finite | None):
                continue  # which may be negative
            with pytest.raises(ValueError, match=rf"^{field.name}: got "):
                replace(right, **{field.name: wrong})


def test_all_recipes_are_asked():
    assert len(list(recipes())) > 25
