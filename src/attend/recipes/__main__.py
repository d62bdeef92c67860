"""`python -m attend.recipes NAME`: train a recipe again and write the weights that come with the package."""

import importlib
import pkgutil
import sys
import time

import attend.recipes


def main(names: list[str]) -> int:
    """Export the named recipes; list them all when none is named. Returns the exit status."""
    known = sorted(m.name for m in pkgutil.iter_modules(attend.recipes.__path__) if not m.name.startswith("_"))
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
