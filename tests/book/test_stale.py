"""nbval runs every page again but cannot see pictures and figures: a page must have been run as it stands."""

import copy

import nbformat
import pytest
from tests.house.course import PAGES, nothing, page_name

from attend_book import ROOT, notebook
from attend_book.pages import stale


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_page_was_run_since_its_code_changed(path):
    found = stale(notebook.read(path))
    nothing(f"{page_name(path)} is stale: {said} (make pages PAGE={page_name(path)})" for said in found)


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_page_is_as_the_machine_writes_it(path):
    nb = notebook.normalise(notebook.read(path), page_name(path))
    assert notebook.text(nb) == path.read_text(encoding="utf-8"), f"make pages PAGE={page_name(path)}"


@pytest.mark.parametrize("path", PAGES[:1], ids=page_name)
def test_another_line_of_code_makes_a_page_stale(path):
    nb = notebook.read(path)
    nb.cells.append(nbformat.v4.new_code_cell("1 + 1"))
    assert "its code cells changed" in stale(nb)


@pytest.mark.parametrize("path", PAGES[:1], ids=page_name)
def test_another_package_file_makes_a_page_stale(path):
    nb = notebook.read(path)
    files = nb.metadata["attend"]["files"]
    spoilt = copy.deepcopy(files) | {"src/attend/__init__.py": "0" * 12}
    nb.metadata["attend"] |= {"files": spoilt, "digest": "0" * 16}
    assert "src/attend/__init__.py changed" in stale(nb)


def test_there_are_pages():
    assert PAGES, f"no page in {ROOT / 'chapters'}"
