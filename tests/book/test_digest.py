"""What a page was run with is noted, and every change of it is named."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attend_book import Refused, digest

WORDS, UNIT, EVIDENCE = "src/attend/tasks/words.py", "src/attend/memory/unit.py", "src/attend/evidence/coin.py"
TREE = {
    "src/attend/__init__.py": "",
    "src/attend/checks/__init__.py": "",
    "src/attend/checks/coin.py": "def toss(answer):\n    return answer",
    "src/attend/evidence/__init__.py": "def show(name):\n    return name",
    EVIDENCE: "SEEDS = 5\n\n\ndef fair(seed):\n    return SEEDS\n\n\ndef biased(seed):\n    return 1",
    "src/attend/memory/__init__.py": "",
    UNIT: "RATE = 1\n\n\ndef unit():\n    return RATE\n\n\ndef unused():\n    return 2",
    WORDS: 'from attend.memory.unit import unit\n\nDATA = ("tasks/data/words.*",)\n\n\ndef words():\n    return unit()',
    "src/attend/tasks/data/words.txt": "a b c",
    "src/attend/tasks/data/unused.npz": "0",
    "src/attend/recipes/lost.py": 'DATA = ("recipes/weights/nothing.json",)\n\n\ndef lost():\n    return 1',
}
IMPORT = "from attend.tasks.words import words"


@pytest.fixture
def tree(tmp_path):
    """A small package of the course's shape."""
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def page(*cells, prose=""):
    return new_notebook(cells=[*map(new_code_cell, cells), new_markdown_cell(prose)])


def needs(tree, nb):
    return digest.needs(nb, tree / "src" / "attend")


def changes(tree, name, nb):
    return digest.Lock(tree).changes(name, nb, tree / "src" / "attend")


def edit(tree, name, old, new):
    path = tree / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("x = 1", set()),
        (IMPORT, {WORDS, UNIT, "src/attend/tasks/data/words.txt"}),
        ("from attend.tasks import words", set()),
        ("from attend.tasks import words\nwords.words()", {WORDS, UNIT, "src/attend/tasks/data/words.txt"}),
        ("from attend import checks\nchecks.coin.toss(1)", {"src/attend/checks/coin.py"}),
        ("from attend import evidence\nevidence.show('coin.fair')", {"src/attend/evidence/__init__.py", EVIDENCE}),
        ("from attend import evidence\nevidence.show('lost.fair')", {"src/attend/evidence/__init__.py"}),
    ],
)
def test_a_page_needs_what_its_code_reaches(tree, code, files):
    assert needs(tree, page(code)).keys() == {digest.CODE, *files}


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (UNIT, "RATE = 1", "RATE = 3", [f"{UNIT} changed"]),
        (UNIT, "return RATE", "return RATE  # as ever", [f"{UNIT} changed"]),
        (UNIT, "    return RATE", '    """The rate."""\n    return RATE', []),
        (UNIT, "return 2", "return 3", []),
        (EVIDENCE, "SEEDS = 5", "SEEDS = 6", [f"{EVIDENCE} changed"]),
        (EVIDENCE, "return 1", "return 0", []),
        ("src/attend/tasks/data/words.txt", "a b", "b a", ["src/attend/tasks/data/words.txt changed"]),
    ],
)
def test_a_change_counts_where_the_page_reaches_it(tree, name, old, new, said):
    nb = page(IMPORT, "from attend import evidence\nevidence.show('coin.fair')", "words()")
    digest.Lock(tree).record("a.md", needs(tree, nb))
    edit(tree, name, old, new)
    assert changes(tree, "a.md", nb) == said


def test_lines_of_ipython_hide_nothing_and_what_cannot_be_read_is_refused(tree):
    assert needs(tree, page("%config InlineBackend.dpi = 90\n!ls", IMPORT)).keys() == needs(tree, page(IMPORT)).keys()
    with pytest.raises(Refused, match="its code cannot be read"):
        needs(tree, page(IMPORT, "words("))


def test_declared_data_that_are_not_there_are_refused_by_module_and_name(tree):
    with pytest.raises(Refused, match=r"attend\.recipes\.lost: DATA names recipes/weights/nothing\.json"):
        needs(tree, page("from attend.recipes.lost import lost"))


def test_every_change_is_named_and_prose_is_none(tree):
    one, other = page(IMPORT, prose="one"), page(IMPORT, prose="two")
    assert changes(tree, "a.md", one) == ["pages.lock does not know it"]
    digest.Lock(tree).record("a.md", needs(tree, one))
    assert changes(tree, "a.md", other) == []
    assert changes(tree, "a.md", page(IMPORT, "y")) == ["its code changed"]
    (tree / "src/attend/tasks/data/words.txt").write_text("a b")
    (tree / "src/attend/tasks/data/words.csv").write_text("a,b")
    edit(tree, WORDS, "return unit()", "return 1")
    assert changes(tree, "a.md", one) == [
        f"{UNIT} is gone",
        "src/attend/tasks/data/words.csv is new to it",
        "src/attend/tasks/data/words.txt changed",
        f"{WORDS} changed",
    ]


def test_a_page_stays_stale_when_another_one_was_run_with_the_same_file(tree):
    for name in ("a.md", "b.md"):
        (tree / name).touch()
        digest.Lock(tree).record(name, needs(tree, page(IMPORT)))
    edit(tree, WORDS, "return unit()", "return unit() + 1")
    digest.Lock(tree).record("a.md", needs(tree, page(IMPORT)))
    assert changes(tree, "a.md", page(IMPORT)) == []
    assert changes(tree, "b.md", page(IMPORT)) == [f"{WORDS} changed"]


def test_a_page_that_is_gone_leaves_the_lock(tree):
    for name in ("gone.md", "a.md"):
        digest.Lock(tree).record(name, needs(tree, page(IMPORT)))
    assert set(digest.Lock(tree).pages) == {"a.md"}


def test_lines_of_two_branches_make_a_page_stale_and_others_stay_fresh(tree):
    for name in ("a.md", "b.md"):
        (tree / name).touch()
        digest.Lock(tree).record(name, needs(tree, page(IMPORT)))
    path = digest.Lock(tree).path
    other = f"a.md code {'0' * 12}"
    path.write_text("\n".join(["<<<<<<< ours", *path.read_text().splitlines(), "=======", other, ">>>>>>> theirs"]))
    assert changes(tree, "a.md", page(IMPORT)) == ["its code changed"]
    assert changes(tree, "b.md", page(IMPORT)) == []
    digest.Lock(tree).record("a.md", needs(tree, page(IMPORT)))
    assert changes(tree, "a.md", page(IMPORT)) == []
