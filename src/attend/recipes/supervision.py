"""The three trained models over three seeds, measured on the test part that no choice has looked at.

`python -m attend.recipes supervision` measures everything again; `python -m attend.recipes.supervision reviews` only
the named parts.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from attend.core.expect import expect
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.numbers import LONG, NumbersRecipe
from attend.recipes.plays import PlaysRecipe
from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import numbers, reviews

DATA = ("recipes/weights/supervision.json",)
SEEDS = (0, 1, 2)
ONE_PASS = PlaysRecipe(steps=1_346)
"""The language model after a single pass over the plays, short enough to train on a page."""
PHRASES = ("good", "not", "not good", "bad", "not bad", "not bad at all")
"""What a reader of reviews is asked about “not”."""
_FORETOLD = ("·", "und", "zig", "hundert", "tausend", "million", "millionen")
PIECES = {
    "number words": tuple(piece for piece in numbers.GERMAN if piece not in _FORETOLD),
    "hundert, tausend": ("hundert", "tausend"),
}
"""German pieces by what foretells them: only the number itself, or the grammar of numbers."""


def load() -> dict[str, dict[str, Any]]:
    """What `export` measured: by name `test`, a value for each seed (or a table of them), and `seconds` a seed."""
    return read_record(WEIGHTS / "supervision.json")


def accuracy_and_phrases(recipe: ReviewsRecipe, model: Any) -> dict[str, Any]:
    """The `accuracy` of a reader of reviews on the test part, and what it makes of `PHRASES`."""
    return {"accuracy": recipe.measure(model), "phrases": phrases(recipe, model)}


@torch.no_grad()
def phrases(recipe: ReviewsRecipe, model: Any) -> dict[str, dict[str, float]]:
    """For each of `PHRASES` its `pull`, in log-odds, and the probability that it is `kind`.

    The pull is what the hidden state after the last word adds to the log-odds; the readout's bias is left out.
    """
    tokens, mask = reviews.encode(list(PHRASES), recipe.words())
    predicted = model(tokens, mask)
    last = predicted.hidden[torch.arange(len(PHRASES)), mask.sum(1) - 1]
    pulls, kind = last @ model.readout.weight[0], predicted.logit.sigmoid()
    return {text: {"pull": pulls[i].item(), "kind": kind[i].item()} for i, text in enumerate(PHRASES)}


def by_digits(recipe: NumbersRecipe, model: Any, part: str = "test") -> dict[str, float]:
    """The share of numbers without a mistake, by how many digits they have, where there are 20 numbers or more."""
    tests = numbers.numbers(part, recipe.digits, recipe.most)
    right = recipe.exact(model, numbers.encode(tests)).double()
    digits = torch.tensor([len(str(n)) for n in tests])
    kept = [d for d in digits.unique().tolist() if int((digits == d).sum()) >= 20]
    return {str(d): right[digits == d].mean().item() for d in kept}


@torch.no_grad()
def by_place(recipe: NumbersRecipe, model: Any, part: str = "test") -> dict[str, list[float | None]]:
    """The share of right pieces at each place, in numbers of 14 words or more, given the true piece before each.

    By name of `PIECES`; `commonest` is what a guess of always the commonest number word of a place gets right. None
    stands where there are fewer than 100 pieces.
    """
    pairs = numbers.encode(numbers.numbers(part, recipe.digits, recipe.most))
    right = (model(pairs.source, pairs.mask, pairs.target).argmax(-1) == pairs.target).double()
    rows = pairs.mask.sum(1, keepdim=True) >= 14
    shares: dict[str, list[float | None]] = {name: [] for name in (*PIECES, "commonest")}
    for name, pieces in PIECES.items():
        tokens = torch.tensor([numbers.GERMAN.index(piece) for piece in pieces])
        chosen = rows & pairs.asked & torch.isin(pairs.target, tokens)
        for t in range(chosen.shape[1]):
            there, many = chosen[:, t], int(chosen[:, t].sum()) >= 100
            shares[name].append(right[there, t].mean().item() if many else None)
            if name == "number words":
                most = pairs.target[there, t].bincount().max().item() / int(there.sum()) if many else None
                shares["commonest"].append(most)
    return shares


def by_digits_and_place(recipe: NumbersRecipe, model: Any) -> dict[str, Any]:
    """Both on the test part, of one trained model."""
    return {"digits": by_digits(recipe, model), "places": by_place(recipe, model)}


def runs() -> dict[str, tuple[Any, Callable[[Any, Any], Any]]]:
    """The parts that `export` measures: by name a recipe, and what is measured of each model that it trains."""
    return {
        "reviews": (ReviewsRecipe(), accuracy_and_phrases),
        "reviews, last": (ReviewsRecipe(pooling="last"), lambda recipe, model: recipe.measure(model)),
        "numbers": (NumbersRecipe(), lambda recipe, model: recipe.measure(model)),
        "numbers, long": (LONG, by_digits_and_place),
        "plays, one pass": (ONE_PASS, lambda recipe, model: recipe.measure(model)),
        "plays": (PlaysRecipe(), lambda recipe, model: recipe.measure(model)),
    }


def _over_seeds(recipe: Any, measure: Callable[[Any, Any], Any]) -> dict[str, Any]:
    began, values = time.process_time(), []
    for seed in SEEDS:
        seeded = replace(recipe, seed=seed)
        values.append(measure(seeded, seeded.train()[0]))
    seconds = (time.process_time() - began) / len(SEEDS)
    return {"test": values, "seconds": round(seconds), "torch": torch.__version__}


def export(*names: str) -> None:
    """Train the named parts three times, on one thread, and write what the test part says; the rest stays as it was.

    Without a name all parts are measured, in about ten minutes. Raises ValueError for a name that is none of them.
    """
    torch.set_num_threads(1)
    known = runs()
    for name in names:
        expect(name in known, "names", name, f"parts among {'; '.join(known)}")
    found = load() if names else {}
    found |= {name: _over_seeds(*known[name]) for name in names or known}
    write_record(WEIGHTS / "supervision.json", {name: found[name] for name in known if name in found}, indent=1)


if __name__ == "__main__":
    export(*sys.argv[1:])
