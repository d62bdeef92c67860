"""nbval runs every page again but cannot see pictures and figures: a page must have been run as it stands."""

import nbformat
import pytest
from tests.house.course import PAGES, nothing, page_name

from attend.dependencies import Sources
from attend_book import ROOT, digest, notebook
from attend_book.pages import stale


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_page_was_run_since_its_code_changed(path):
    nothing(f"{page_name(path)} is stale: {said} (make pages PAGE={page_name(path)})" for said in stale(path))


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_notebook_is_as_the_machine_writes_it(path):
    built = path.with_suffix(".ipynb")
    nb = notebook.read(path)
    nb.cells.insert(0, nbformat.read(built, as_version=4).cells[0])
    text = notebook.text(notebook.normalise(nb, page_name(path)))
    assert text == built.read_text(encoding="utf-8"), f"make pages PAGE={page_name(path)}"


def test_there_are_pages():
    assert PAGES, f"no page in {ROOT / 'chapters'}"


def test_every_data_file_is_declared():
    """A file that no module declares could change and no page would be run again."""
    package, sources = digest.PACKAGE, Sources()
    known = {digest.address(path) for named in sources.data(sources.texts) for path in digest.declared(*named)}
    folders = (package / "tasks" / "data", package / "recipes" / "weights")
    kept = {path for folder in folders for path in folder.iterdir() if path.suffix not in ("", ".py", ".md")}
    lost = {path.relative_to(ROOT).as_posix() for path in kept} - known
    nothing(f"no module says DATA = (…) for {path}" for path in sorted(lost))
