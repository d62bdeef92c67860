"""One address in every tree: a module has its test, a system has its page."""

from nbformat.v4 import new_code_cell
from tests.house.course import PAGES, PARTS, imported, nothing, page, read, sources, systems

from attend_book import ROOT


def untested(root):
    """Modules without a test file of the same address."""
    for path in sources(root):
        place = path.relative_to(root / "src" / "attend")
        if place.name == "__main__.py" or (place.name == "__init__.py" and place.parts[0] != "live"):
            continue
        if place.name == "__init__.py":
            if len(place.parts) != 3:
                continue
            test = root / "tests" / "live" / f"test_{place.parts[1]}.py"
        else:
            test = root / "tests" / place.parent / f"test_{place.name}"
        if not test.is_file():
            yield f"src/attend/{place} has no {test.relative_to(root)}"


def unshown(root, pages):
    """Systems that no page of their own part imports; `pages` are (path, notebook) pairs."""
    shown = {(path.parent.name, name) for path, nb in pages for name in imported(nb)}
    for path in systems(root):
        part, name = path.parent.name, f"attend.{path.parent.name}.{path.stem}"
        if (part, name) not in shown:
            yield f"src/attend/{part}/{path.name} has no page in chapters/{part} that imports it"


def test_every_module_has_its_test():
    nothing(untested(ROOT))


def test_every_system_has_its_page():
    nothing(unshown(ROOT, [(path, read(path)) for path in PAGES]))


def test_every_part_of_the_package_is_a_part_of_the_course():
    assert {path.parent.name for path in PAGES} <= set(PARTS)


def test_a_module_without_its_test_and_a_system_without_its_page_are_named(tmp_path):
    for name in ("src/attend/soft/window.py", "src/attend/live/window/__init__.py", "tests/soft/test_other.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert sorted(untested(tmp_path)) == [
        "src/attend/live/window/__init__.py has no tests/live/test_window.py",
        "src/attend/soft/window.py has no tests/soft/test_window.py",
    ]
    shows = page(new_code_cell("from attend.soft.window import Window"))
    assert not list(unshown(tmp_path, [(tmp_path / "chapters/soft/x.ipynb", shows)]))
    (said,) = unshown(tmp_path, [(tmp_path / "chapters/hard/x.ipynb", shows)])
    assert said == "src/attend/soft/window.py has no page in chapters/soft that imports it"
