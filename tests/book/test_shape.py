"""What a page lacks is said by name, in `make pages` and in the house test."""

import pytest
from nbformat.v4 import new_output
from tests.house.course import PAGES, code, page, prose, read

from attend_book import ROOT, widgets
from attend_book.shape import SECTIONS, lacking, missing, wide


def whole_page():
    """A made-up page that lacks nothing."""
    claim = new_output("display_data", {"text/plain": "a.b: holds"}, metadata={"attend": {"claim": {"id": "a.b"}}})
    view = new_output("display_data", {widgets.VIEW: {"model_id": "w"}})
    exercise = "```{exercise-start} One\n:label: one\n```\n\n```{exercise-end}\n```"
    cells = [prose("# Title")]
    cells += [code("claim()", [claim]), code("Figure()", [view])]
    cells += [prose(f"## {heading}") for heading in SECTIONS] + [prose(exercise), prose(exercise)]
    about = {"question": "What?", "description": "x" * 60, "systems": "GRU"}
    state = {"w": {"state": {"_anywidget_id": "attend.live.a.A"}}}
    return page(*cells, attend=about, widgets={widgets.STATE: {"state": state}})


def test_a_whole_page_passes():
    assert list(lacking(whole_page())) == []


@pytest.mark.parametrize("cell", [0, 1, 2, 3, 6, 7])
def test_a_page_without_one_of_its_bones_fails(cell):
    nb = whole_page()
    nb.cells[cell] = prose("Nothing.")
    assert len(list(lacking(nb))) == 1


def test_a_visible_line_that_is_too_wide_is_named():
    nb = whole_page()
    nb.cells[2].source = "x" * 77
    assert wide(nb) == ["x" * 77]
    nb.cells[2].metadata["tags"] = ["hide-input"]
    assert wide(nb) == []


@pytest.mark.parametrize("key", ["question", "description", "systems"])
def test_a_page_that_does_not_say_what_it_is_fails(key):
    nb = whole_page()
    del nb.metadata["attend"][key]
    assert len(list(lacking(nb))) == 1


def test_a_page_that_the_contents_do_not_name_fails():
    whole = read(PAGES[0])
    assert "_toc.yml does not name it" not in missing(whole, PAGES[0])
    assert "_toc.yml does not name it" in missing(whole, ROOT / "chapters" / "soft" / "nowhere.ipynb")
