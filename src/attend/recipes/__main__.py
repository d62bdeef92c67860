"""`python -m attend.recipes NAME`: train a recipe again and write the weights that come with the package.

Without a name the recipes are listed; `python -m attend.recipes --checksums` writes CHECKSUMS anew for the weights and
records as they lie there, after another program has changed them.
"""

import importlib
import pkgutil
import sys
import time

import attend.recipes
from attend.core import files


def main(names: list[str]) -> int:
    """Export the named recipes; list them all when none is named. Returns the exit status."""
    if names == ["--checksums"]:
        changed = files.write_checksums(attend.recipes.WEIGHTS, ".safetensors", ".json")
        print("changed:", ", ".join(changed) or "nothing")
        return 0
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
