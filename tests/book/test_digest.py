"""What a page depends on is found, and every change of it is named."""

import sys

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attend_book import digest

TREE = {
    "__init__.py": "",
    "memory/__init__.py": "",
    "memory/unit.py": "from attend.core.step import step",
    "memory/other.py": "",
    "core/__init__.py": "from attend.core import note",
    "core/note.py": "",
    "core/step.py": "",
    "tasks/__init__.py": "",
    "tasks/words.py": 'NAME = "words.txt"\nNOTE = "CHECKSUMS and unused.npz"',
    "tasks/data/words.txt": "a b c",
    "tasks/data/unused.npz": "0",
    "tasks/data/CHECKSUMS": "",
    "recipes/__init__.py": "",
    "recipes/unit.py": 'from attend.memory.unit import step\nload("unit.safetensors")',
    "recipes/weights/unit.safetensors": "1 2",
    "recipes/rivals.py": 'def name(seed):\n    return f"rival_{seed}"\nload(f"{name(3)}.safetensors")',
    "recipes/weights/rival_3.safetensors": "3",
    "live/__init__.py": "",
    "live/figure.py": "",
    "live/kit/widget.js": "//",
    "live/kit/kit.css": "*{}",
    "live/kit/plane.js": 'import { shape } from "./dom.js";',
    "live/kit/dom.js": "//",
    "live/kit/play.js": "//",
    "live/dial/__init__.py": "from attend.live.figure import LiveFigure",
    "live/dial/dial.js": 'import { a,\n  b } from "./face.js";\nimport { plane } from "../kit/plane.js";',
    "live/dial/face.js": 'import { wind } from "../wheel/spring.js";',
    "live/dial/dial.css": "i{}",
    "live/dial/notes.js": "//",
    "live/wheel/__init__.py": "",
    "live/wheel/wheel.js": "//",
    "live/wheel/spring.js": "//",
    "checks/__init__.py": "",
    "checks/unit.py": "",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small package of the course's shape, which Python finds in the place of the course's own."""
    for name, text in TREE.items():
        path = tmp_path / "src" / "attend" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.delitem(sys.modules, "attend", raising=False)
    return tmp_path / "src"


def measured(tree, *cells, prose=""):
    """The digest of a page with these cells."""
    return digest.digest(new_notebook(cells=[*map(new_code_cell, cells), new_markdown_cell(prose)]), tree)


def reached(tree, *cells):
    """The files of a digest, without the folder that they share and without empty package files."""
    names = {name.removeprefix("src/attend/") for name in measured(tree, *cells)["files"]}
    return {name for name in names if TREE[name]}


def test_imports_are_followed(tree):
    assert reached(tree, "from attend.memory import unit") == {"memory/unit.py", "core/__init__.py"}
    files = measured(tree, "from attend.memory.unit import step")["files"]
    assert "src/attend/core/step.py" in files
    assert "src/attend/core/note.py" in files
    assert "src/attend/memory/other.py" not in files


def test_data_and_weights_are_found_by_their_names(tree):
    assert reached(tree, "import attend.tasks.words") == {"tasks/words.py", "tasks/data/words.txt"}
    assert "recipes/weights/unit.safetensors" in reached(tree, "from attend.recipes.unit import Unit")


def test_weights_named_by_an_f_string_are_found(tree):
    assert reached(tree, "import attend.recipes.rivals") == {"recipes/rivals.py", "recipes/weights/rival_3.safetensors"}


def test_a_live_figure_brings_the_scripts_and_styles_that_it_reaches(tree):
    shown = {name for name in reached(tree, "from attend.live.dial import Dial") if not name.endswith(".py")}
    own = {"live/dial/dial.js", "live/dial/face.js", "live/dial/dial.css", "live/wheel/spring.js"}
    assert shown == own | {"live/kit/widget.js", "live/kit/kit.css", "live/kit/plane.js", "live/kit/dom.js"}


def test_a_module_reached_by_dots_counts(tree):
    assert "src/attend/checks/unit.py" in measured(tree, "from attend import checks", "checks.unit.right(2)")["files"]
    assert "src/attend/checks/unit.py" not in measured(tree, "from attend import checks")["files"]


def test_every_change_is_named_and_prose_is_none(tree):
    cells = ("%matplotlib inline\nfrom attend.live.dial import Dial", "import attend.tasks.words")
    then = measured(tree, *cells, prose="one")
    assert digest.changes(then, measured(tree, *cells, prose="two")) == []
    assert digest.changes(then, measured(tree, *cells, "x = 1")) == ["its code cells changed"]
    (tree / "attend/tasks/data/words.txt").write_text("a b")
    (tree / "attend/live/dial/dial.css").unlink()
    (tree / "attend/live/kit/plane.js").write_text('import { line } from "./line.js";')
    (tree / "attend/live/kit/line.js").write_text("//")
    assert digest.changes(then, measured(tree, *cells)) == [
        "src/attend/live/kit/line.js is new to it",
        "src/attend/live/dial/dial.css is gone",
        "src/attend/live/kit/dom.js is gone",
        "src/attend/live/kit/plane.js changed",
        "src/attend/tasks/data/words.txt changed",
    ]


def test_where_the_package_is_installed_from_is_no_change(tree):
    install = '%pip install -q "git+https://{}/attend@v1"\nimport attend'
    here, there = (measured(tree, install.format(host)) for host in ("example.org/a", "example.com/b"))
    assert here["files"]
    assert here == there


def test_a_page_that_was_never_run_is_stale(tree):
    now = measured(tree, "import attend")
    assert digest.changes({}, now) == ["it was never run by `make pages`"]
    assert digest.changes({**now, "digest": "other"}, now) == ["its recorded digest was edited by hand"]
