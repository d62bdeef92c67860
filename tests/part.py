"""What `make test PART=gating` runs: the part's pages, its room, and the tests of all that its pages import.

A module has its test at the same address (`attend.live.gru_shut`: tests/live/test_gru_shut.py), so that the imports of
the pages name them.
"""

import ast
import itertools
import sys
from pathlib import Path

from attend_book.notebook import code, syntax, written

ROOT = Path(__file__).resolve().parents[1]


def tested(source: str) -> set[str]:
    """Where tests may be of what a page's code imports from the package: a file for a module, a folder for a room.

    From the package itself, as in `from attend import checks`, only rooms come, whose tests bear the page's name.
    """
    found = set()
    for node in ast.walk(syntax(source)):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module != "attend":
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [one if _is_module(one) else node.module for one in inside]
        for package, *rooms in (module.split(".") for module in modules):
            if package == "attend" and rooms:
                folder = "/".join(["tests", *rooms[:-1]])
                found |= {f"{folder}/test_{rooms[-1]}.py", f"{folder}/{rooms[-1]}"}
    return found


def _is_module(name: str) -> bool:
    place = ROOT / "src" / Path(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def places(part: str) -> list[str]:
    """Folders and files of a part, for pytest's command line."""
    pages = sorted((ROOT / "chapters" / part).glob("*.md"))
    if not pages:
        parts = sorted(folder.name for folder in (ROOT / "chapters").iterdir() if folder.is_dir())
        raise SystemExit(f"PART: got {part!r}, expected one of {', '.join(parts)}")
    found = set().union(*(tested("\n".join(cell.source for cell in code(written(page)))) for page in pages))
    named = itertools.product(("recipes", "evidence", "live", "checks"), pages)
    found |= {f"tests/{room}/test_{page.stem}.py" for room, page in named}
    there = sorted(path for path in found if not path.startswith(f"tests/{part}/") and (ROOT / path).exists())
    return [f"chapters/{part}", f"tests/{part}", *there]


if __name__ == "__main__":
    print(*places(sys.argv[1]))
