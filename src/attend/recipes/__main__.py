"""`python -m attend.recipes NAME`: train a recipe again and write the weights that come with the package.

Without a name the recipes are listed; `python -m attend.recipes --checksums` writes CHECKSUMS anew for the weights and
records as they lie there, after another program has changed them.

`accelerate launch -m attend.recipes NAME --size SIZE` trains a recipe of some size on as many devices as Accelerate is
told of, and goes on where a run was broken off; `--dry-run` says what that costs, and trains nothing.
"""

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path

import attend.recipes
from attend.core import files


def main(arguments: list[str]) -> int:
    """Export the named recipes, or launch one; list them all when none is named. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m attend.recipes", description=__doc__.partition("\n")[0])
    parser.add_argument("name", nargs="*", help="recipes to export; one, with --size")
    parser.add_argument("--checksums", action="store_true", help="note the weights and records as they lie there")
    at_size = parser.add_argument_group("at any size")
    at_size.add_argument("--size", help="which of the recipe's SIZES, as small or paper")
    at_size.add_argument("--dry-run", action="store_true", help="take a step of shapes alone, and say what it costs")
    at_size.add_argument("--seed", type=int)
    at_size.add_argument("--steps", type=int)
    at_size.add_argument("--batch", type=int, help="examples a step, in all processes together")
    at_size.add_argument("--data", help="a file of token ids, as numpy.save writes it")
    at_size.add_argument("--accumulate", type=int, help="parts in which a process computes its share of a batch")
    at_size.add_argument("--processes", type=int, default=1, help="for the dry run: how many there would be")
    at_size.add_argument("--folder", type=Path, help="where the state and the weights go; runs/NAME-SIZE-SEED")
    at_size.add_argument("--every", type=int, default=1_000, help="steps between two states that are kept")
    options = parser.parse_args(arguments)
    if options.size is not None:
        try:
            print(at_its_size(options), end="")
        except ValueError as refused:
            print(refused, file=sys.stderr)
            return 2
        return 0
    if options.checksums:
        changed = files.write_checksums(attend.recipes.WEIGHTS, ".safetensors", ".json")
        print("changed:", ", ".join(changed) or "nothing")
        return 0
    return export(options.name)


def at_its_size(options: argparse.Namespace) -> str:
    """Launch a recipe, or tell its cost. Raises ValueError for what does not fit."""
    from attend.recipes import launch

    if len(options.name) != 1:
        raise ValueError(f"NAME: got {options.name}, expected one recipe for --size")
    (name,) = options.name
    changed = {field: getattr(options, field) for field in ("seed", "steps", "batch", "data")}
    one = launch.sized(name, options.size, **changed)
    if options.dry_run:
        shared = options.processes, 1 if options.accumulate is None else options.accumulate
        return f"{launch.told(one, launch.dry_run(one, *shared), *shared)}\n"
    label = f"{name}, {options.size}, seed {one.seed}, {one.steps} steps of {one.batch}"
    folder = options.folder or Path("runs") / f"{name}-{options.size}-{one.seed}"
    said = launch.train(one, label, folder, accumulate=options.accumulate, every=options.every)
    return f"{said}\n" if said else ""


def export(names: list[str]) -> int:
    """Train the named recipes and write their weights; list all when none is named."""
    known = exporting()
    if not names:
        print("recipes:", ", ".join(known))
        return 0
    for name in names:
        if name not in known:
            print(f"NAME: got {name!r}, expected one of {', '.join(known)}", file=sys.stderr)
            return 2
    for name in names:
        began = time.perf_counter()
        importlib.import_module(f"attend.recipes.{name}").export()
        print(f"{name}: written after {time.perf_counter() - began:.0f} s")
    return 0


def exporting() -> list[str]:
    """The recipes whose weights or measurements come with the package; the others train in seconds on their pages."""
    modules = (module.name for module in pkgutil.iter_modules(attend.recipes.__path__))
    found = [name for name in modules if not name.startswith("_")]
    return [name for name in sorted(found) if hasattr(importlib.import_module(f"attend.recipes.{name}"), "export")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
