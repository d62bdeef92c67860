"""The translator of long numbers over three seeds, by the length of the number."""

import time
from dataclasses import replace
from typing import Any

import torch

from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.numbers import LONG, NumbersRecipe
from attend.tasks import numbers

DATA = ("recipes/weights/supervision.json",)
SEEDS = (0, 1, 2)


def load() -> dict[str, dict[str, Any]]:
    """What `export` measured: by name `test`, a table for each seed, and `seconds` a seed."""
    return read_record(WEIGHTS / "supervision.json")


def by_digits(recipe: NumbersRecipe, model: Any, part: str = "test") -> dict[str, float]:
    """The share of numbers without a mistake, by how many digits they have, where there are 20 numbers or more."""
    tests = numbers.numbers(part, recipe.digits, recipe.most)
    right = recipe.exact(model, numbers.encode(tests)).double()
    digits = torch.tensor([len(str(n)) for n in tests])
    kept = [d for d in digits.unique().tolist() if int((digits == d).sum()) >= 20]
    return {str(d): right[digits == d].mean().item() for d in kept}


def export() -> None:
    """Train the translator three times, on one thread, and write what the test part says; five minutes."""
    torch.set_num_threads(1)
    began, recipes = time.process_time(), [replace(LONG, seed=seed) for seed in SEEDS]
    found = [{"digits": by_digits(recipe, recipe.train()[0])} for recipe in recipes]
    seconds = round((time.process_time() - began) / len(SEEDS))
    record = {"numbers, long": {"test": found, "seconds": seconds, "torch": torch.__version__}}
    write_record(WEIGHTS / "supervision.json", record, indent=1)
