"""The three taught units over three seeds, measured on the test part that no choice has looked at."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from attend.recipes import WEIGHTS
from attend.recipes.numbers import LONG, NumbersRecipe
from attend.recipes.plays import PlaysRecipe
from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import numbers

SEEDS = (0, 1, 2)
ONE_PASS = PlaysRecipe(steps=1_346)
"""The language model after a single pass over the plays, short enough to train on a page."""


def load() -> dict[str, dict[str, Any]]:
    """What `export` measured: by name `test`, a value for each seed (or a table of them), and `seconds` a seed."""
    return json.loads((WEIGHTS / "supervision.json").read_text())


def by_digits(recipe: NumbersRecipe, model: Any, part: str = "test") -> dict[str, float]:
    """The share of numbers without a mistake, by how many digits they have, where there are 20 numbers or more."""
    tests = numbers.numbers(part, recipe.digits, recipe.most)
    right = recipe.exact(model, numbers.encode(tests)).double()
    digits = torch.tensor([len(str(n)) for n in tests])
    kept = [d for d in digits.unique().tolist() if int((digits == d).sum()) >= 20]
    return {str(d): right[digits == d].mean().item() for d in kept}


def by_place(recipe: NumbersRecipe, model: Any, part: str = "test") -> list[float]:
    """The share of right pieces at places 1 to 17, in numbers of 14 words or more, given the true piece before each."""
    pairs = numbers.encode(numbers.numbers(part, recipe.digits, recipe.most))
    rows = pairs.visible.sum(1) >= 14
    with torch.no_grad():
        guess = model(pairs.source, pairs.visible, pairs.target).argmax(-1)
    right = (guess == pairs.target).double()
    return [right[rows & pairs.asked[:, t], t].mean().item() for t in range(min(17, right.shape[1]))]


def by_digits_and_place(recipe: NumbersRecipe, model: Any) -> dict[str, Any]:
    """Both on the test part, of one trained model."""
    return {"digits": by_digits(recipe, model), "places": by_place(recipe, model)}


def _over_seeds(recipe: Any, measure: Callable[[Any, Any], Any]) -> dict[str, Any]:
    began, values = time.process_time(), []
    for seed in SEEDS:
        seeded = replace(recipe, seed=seed)
        values.append(measure(seeded, seeded.train()[0]))
    seconds = (time.process_time() - began) / len(SEEDS)
    return {"test": values, "seconds": round(seconds), "torch": torch.__version__}


def export() -> None:
    """Train everything three times, on one thread, and write what the test part says. About ten minutes."""
    torch.set_num_threads(1)
    runs = {
        "reviews": (ReviewsRecipe(), lambda recipe, model: recipe.measure(model)),
        "reviews, last": (ReviewsRecipe(pooling="last"), lambda recipe, model: recipe.measure(model)),
        "numbers": (NumbersRecipe(), lambda recipe, model: recipe.measure(model)),
        "plays, one pass": (ONE_PASS, lambda recipe, model: recipe.measure(model)),
        "plays": (PlaysRecipe(), lambda recipe, model: recipe.measure(model)),
        "numbers, long": (LONG, by_digits_and_place),
    }
    found = {name: _over_seeds(*run) for name, run in runs.items()}
    (WEIGHTS / "supervision.json").write_text(json.dumps(found, indent=1) + "\n")
