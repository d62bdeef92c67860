"""What a page was run with is noted, and every change of it is named."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attend_book import Refused, digest

TREE = {
    "__init__.py": "",
    "memory/__init__.py": "",
    "memory/unit.py": "",
    "tasks/words.py": 'DATA = ("tasks/data/words.*",)\nNOTE = "unused.npz"',
    "tasks/data/words.txt": "a b c",
    "tasks/data/unused.npz": "0",
    "recipes/lost.py": 'DATA = ("recipes/weights/nothing.json",)',
}
WORDS, UNIT = "src/attend/tasks/words.py", "src/attend/memory/unit.py"


@pytest.fixture
def tree(tmp_path):
    """A small package of the course's shape."""
    for name, text in TREE.items():
        path = tmp_path / "src" / "attend" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "src"


def page(*cells, prose=""):
    return new_notebook(cells=[*map(new_code_cell, cells), new_markdown_cell(prose)])


def needs(tree, nb, *modules):
    return digest.needs(nb, modules, digest.snapshot(tree), tree)


def changes(tree, name, nb):
    return digest.Lock(tree).changes(name, nb, digest.snapshot(tree), tree)


def test_modules_have_their_files(tree):
    assert digest.module_file("attend.memory", tree) == "src/attend/memory/__init__.py"
    assert digest.module_file("attend.memory.unit", tree) == UNIT


def test_data_are_those_that_a_module_declares(tree):
    found = needs(tree, page("x"), WORDS, UNIT, "src/attend/made/by/hand.py")
    assert set(found) == {digest.CODE, WORDS, UNIT, "src/attend/tasks/data/words.txt"}


def test_declared_data_that_are_not_there_are_refused_by_module_and_name(tree):
    with pytest.raises(Refused, match=r"attend/recipes/lost\.py: DATA names recipes/weights/nothing\.json"):
        needs(tree, page(), "src/attend/recipes/lost.py")


def test_every_change_is_named_and_prose_is_none(tree):
    assert changes(tree, "a.md", page("x")) == ["pages.lock does not know it"]
    digest.Lock(tree).record("a.md", needs(tree, page("x", prose="one"), WORDS, UNIT))
    assert changes(tree, "a.md", page("x", prose="two")) == []
    assert changes(tree, "a.md", page("x", "y")) == ["its code changed"]
    (tree / "attend/tasks/data/words.txt").write_text("a b")
    (tree / "attend/tasks/data/words.csv").write_text("a,b")
    (tree / "attend/tasks/words.py").write_text(TREE["tasks/words.py"] + "\n")
    (tree / "attend/memory/unit.py").unlink()
    assert changes(tree, "a.md", page("x")) == [
        f"{UNIT} is gone",
        "src/attend/tasks/data/words.csv is new to it",
        "src/attend/tasks/data/words.txt changed",
        f"{WORDS} changed",
    ]


def test_a_page_stays_stale_when_another_one_was_run_with_the_same_file(tree):
    for name in ("a.md", "b.md"):
        (tree / name).touch()
        digest.Lock(tree).record(name, needs(tree, page(), WORDS))
    (tree / "attend/tasks/words.py").write_text(TREE["tasks/words.py"] + "\n")
    digest.Lock(tree).record("a.md", needs(tree, page(), WORDS))
    assert changes(tree, "a.md", page()) == []
    assert changes(tree, "b.md", page()) == [f"{WORDS} changed"]


def test_a_page_that_is_gone_leaves_the_lock(tree):
    for name in ("gone.md", "a.md"):
        digest.Lock(tree).record(name, needs(tree, page()))
    assert set(digest.Lock(tree).pages) == {"a.md"}


def test_lines_of_two_branches_make_a_page_stale_and_others_stay_fresh(tree):
    for name in ("a.md", "b.md"):
        (tree / name).touch()
        digest.Lock(tree).record(name, needs(tree, page(), WORDS))
    path = digest.Lock(tree).path
    other = f"a.md code {'0' * 12}"
    path.write_text("\n".join(["<<<<<<< ours", *path.read_text().splitlines(), "=======", other, ">>>>>>> theirs"]))
    assert changes(tree, "a.md", page()) == ["its code changed"]
    assert changes(tree, "b.md", page()) == []
    digest.Lock(tree).record("a.md", needs(tree, page(), WORDS))
    assert changes(tree, "a.md", page()) == []
