"""What a page depends on is found, and every change of it is named."""

import sys

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attend_book import Refused, digest

TREE = {
    "__init__.py": "",
    "memory/__init__.py": "",
    "memory/unit.py": "from attend.core.step import step",
    "memory/other.py": "",
    "core/__init__.py": "from attend.core import note",
    "core/note.py": "",
    "core/step.py": "",
    "tasks/__init__.py": "",
    "tasks/words.py": 'DATA = ("tasks/data/words.txt",)\nNOTE = "unused.npz"',
    "tasks/data/words.txt": "a b c",
    "tasks/data/unused.npz": "0",
    "recipes/__init__.py": "",
    "recipes/unit.py": 'from attend.memory.unit import step\nDATA = ("recipes/weights/unit_*",)',
    "recipes/weights/unit_0.safetensors": "1 2",
    "recipes/weights/unit_1.safetensors": "3",
    "recipes/lost.py": 'DATA = ("recipes/weights/nothing.json",)',
    "live/__init__.py": "",
    "live/dial/__init__.py": "",
    "live/dial/dial.js": "//",
    "live/dial/dial.css": "i{}",
    "evidence/__init__.py": "",
    "evidence/unit.py": "",
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


def needs(tree, *cells, prose=""):
    """What a page with these cells needs."""
    return digest.needs(new_notebook(cells=[*map(new_code_cell, cells), new_markdown_cell(prose)]), tree)


def reached(tree, *cells):
    """The files that a page reaches, without the folder that they share and without empty package files."""
    names = {name.removeprefix("src/attend/") for name in needs(tree, *cells) if name != digest.CODE}
    return {name for name in names if TREE[name]}


def test_imports_are_followed(tree):
    assert reached(tree, "from attend.memory import unit") == {"memory/unit.py", "core/__init__.py"}
    files = needs(tree, "from attend.memory.unit import step")
    assert "src/attend/core/step.py" in files
    assert "src/attend/core/note.py" in files
    assert "src/attend/memory/other.py" not in files


def test_data_are_those_that_a_module_declares(tree):
    assert reached(tree, "import attend.tasks.words") == {"tasks/words.py", "tasks/data/words.txt"}
    weights = {name for name in reached(tree, "from attend.recipes.unit import Unit") if "weights" in name}
    assert weights == {"recipes/weights/unit_0.safetensors", "recipes/weights/unit_1.safetensors"}


def test_declared_data_that_are_not_there_are_refused_by_module_and_name(tree):
    with pytest.raises(Refused, match=r"attend/recipes/lost\.py: DATA names recipes/weights/nothing\.json"):
        needs(tree, "import attend.recipes.lost")


def test_the_front_end_of_a_live_figure_does_not_count(tree):
    found = needs(tree, "from attend.live.dial import Dial")
    assert set(found) == {
        digest.CODE, *(f"src/attend/{name}" for name in ("__init__.py", "live/__init__.py", "live/dial/__init__.py"))
    }  # fmt: skip


def test_a_module_reached_by_dots_counts(tree):
    assert "src/attend/checks/unit.py" in needs(tree, "from attend import checks", "checks.unit.right(2)")
    assert "src/attend/checks/unit.py" not in needs(tree, "from attend import checks")


def test_the_evidence_that_a_page_shows_counts(tree):
    file = "src/attend/evidence/unit.py"
    assert file in needs(tree, "from attend import evidence", 'evidence.show("unit.lag")')
    assert file not in needs(tree, "from attend import evidence\nplt.show()")


WORDS = ("%matplotlib inline\nimport attend.tasks.words",)


def test_every_change_is_named_and_prose_is_none(tree):
    lock = digest.Lock(tree)
    assert lock.changes("a.md", needs(tree, *WORDS)) == ["pages.lock does not know it"]
    lock.record("a.md", needs(tree, *WORDS, prose="one"))
    lock = digest.Lock(tree)
    assert lock.changes("a.md", needs(tree, *WORDS, prose="two")) == []
    assert lock.changes("a.md", needs(tree, *WORDS, "x = 1")) == ["its code changed"]
    (tree / "attend/tasks/data/words.txt").write_text("a b")
    (tree / "attend/tasks/words.py").write_text("import attend.memory.other\n" + TREE["tasks/words.py"])
    digest.import_graph.cache_clear()
    assert lock.changes("a.md", needs(tree, *WORDS)) == [
        "src/attend/memory/__init__.py is new to it",
        "src/attend/memory/other.py is new to it",
        "src/attend/tasks/data/words.txt changed",
        "src/attend/tasks/words.py changed",
    ]
    assert "src/attend/tasks/words.py is no more reached" in lock.changes("a.md", needs(tree, "import attend"))


def test_a_page_stays_stale_when_another_one_was_run_with_the_same_file(tree):
    for page in ("a.md", "b.md"):
        (tree / page).touch()
        digest.Lock(tree).record(page, needs(tree, *WORDS))
    (tree / "attend/tasks/words.py").write_text(TREE["tasks/words.py"] + "\n")
    now = needs(tree, *WORDS)
    digest.Lock(tree).record("a.md", now)
    assert digest.Lock(tree).changes("a.md", now) == []
    assert digest.Lock(tree).changes("b.md", now) == ["src/attend/tasks/words.py changed"]


def test_a_page_that_is_gone_leaves_the_lock(tree):
    lock, now = digest.Lock(tree), needs(tree, *WORDS)
    lock.record("gone.md", now)
    lock.record("a.md", now)
    assert set(digest.Lock(tree).pages) == {"a.md"}


def test_lines_of_two_branches_make_a_page_stale_and_others_stay_fresh(tree):
    now = needs(tree, *WORDS)
    for page in ("a.md", "b.md"):
        (tree / page).touch()
        digest.Lock(tree).record(page, now)
    lock = digest.Lock(tree)
    lines = lock.path.read_text().splitlines()
    other = f"a.md code {'0' * 12}"
    lock.path.write_text("\n".join(["<<<<<<< ours", *lines, "=======", other, ">>>>>>> theirs"]))
    lock = digest.Lock(tree)
    assert lock.changes("a.md", now) == ["its code changed"]
    assert lock.changes("b.md", now) == []
    lock.record("a.md", now)
    assert digest.Lock(tree).changes("a.md", now) == []
