"""What `make test PART=gating` runs: the part's pages, its room, and the tests of all that its pages import.

A module has its test at the same address (`attend.live.gru_shut`: tests/live/test_gru_shut.py), so that the imports of
the pages name them.
"""

import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^\s*(?:from\s+(attend[.\w]*)\s+import\s+([\w, ]+)|import\s+(attend[.\w]*))", re.MULTILINE)


def tested(text: str) -> set[str]:
    """The addresses of the tests of the modules that a page imports, whether they are there or not."""
    found = set()
    for package, names, whole in IMPORT.findall(text):
        modules = [package or whole, *(f"{package}.{name.split(' as ')[0].strip()}" for name in names.split(","))]
        for module in modules:
            *rooms, last = module.split(".")[1:] or [""]
            found.add("/".join(["tests", *rooms, f"test_{last}.py"]))
    return found


def places(part: str) -> list[str]:
    """Folders and files of a part, for pytest's command line."""
    pages = sorted((ROOT / "chapters" / part).glob("*.md"))
    if not pages:
        parts = sorted(folder.name for folder in (ROOT / "chapters").iterdir() if folder.is_dir())
        raise SystemExit(f"PART: got {part!r}, expected one of {', '.join(parts)}")
    found = set().union(*(tested(page.read_text(encoding="utf-8")) for page in pages))
    named = itertools.product(("recipes", "evidence", "live", "checks"), pages)
    found |= {f"tests/{room}/test_{page.stem}.py" for room, page in named}
    there = sorted(path for path in found if not path.startswith(f"tests/{part}/") and (ROOT / path).is_file())
    return [f"chapters/{part}", f"tests/{part}", *there]


if __name__ == "__main__":
    print(*places(sys.argv[1]))
