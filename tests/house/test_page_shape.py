"""Every page has the same bones: set-up cell, question, claims, a live figure, exercises, checks, sources."""

import re

import pytest
from nbformat.v4 import new_output
from tests.house.course import PAGES, code, nothing, page, page_name, prose, read

from attend_book import widgets
from attend_book.notebook import hidden
from attend_book.pages import ENDING
from attend_book.site.source import claims

DESCRIPTION, WIDTH = 160, 80


def wide(nb):
    """The lines of visible code that a page has no room for."""
    cells = (cell for cell in nb.cells if cell.cell_type == "code" and not hidden(cell))
    return [line for cell in cells for line in cell.source.splitlines() if len(line) > WIDTH]


def lacking(nb, set_up):
    """What a page lacks; `set_up` is the source that its first cell must have."""
    first = nb.cells[0]
    if first.cell_type != "code" or "remove-cell" not in first.metadata.get("tags", ()) or first.source != set_up:
        yield "its first cell is not the hidden set-up cell that the other pages have"
    yield from lacking_metadata(nb.metadata.get("attend", {}))
    text = "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    bare = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1\s*$", "", text, flags=re.M | re.S)
    if len(re.findall(r"^# \S", bare, flags=re.M)) != 1:
        yield "it must have one title, `# …`"
    headings = re.findall(r"^## +(.+?)\s*$", bare, flags=re.M)
    if tuple(headings[-len(ENDING) :]) != ENDING:
        yield f"its last sections must be {', '.join(ENDING)}; they are {', '.join(headings[-len(ENDING) :])}"
    exercises = len(re.findall(r"\{exercise-start\}", text))
    if exercises < 2:
        yield f"it has {exercises} exercises, at least 2"
    yield from (f"a visible line has {len(line)} columns, at most {WIDTH}: {line}" for line in wide(nb))
    if not list(claims(nb)):
        yield "it measures no claim"
    models = widgets.models(nb)
    shown = (models.get(view["model_id"], {}).get("state", {}) for view in widgets.views(nb))
    if not any(state.get("_anywidget_id", "").startswith("attend.live.") for state in shown):
        yield "it shows no live figure"


def lacking_metadata(said):
    """What a page does not say about itself in its front matter."""
    if not re.fullmatch(r"\S.*\?", said.get("question", "")):
        yield f"front matter: attend.question must be a question, got {said.get('question', '')!r}"
    if not 40 <= len(said.get("description", "")) <= DESCRIPTION:
        yield f"front matter: attend.description must have 40 to {DESCRIPTION} characters"
    if not 3 <= len(said.get("systems", "")) <= 80:
        yield "front matter: attend.systems must name what the page builds, in 80 characters at most"
    for key in ("reading_minutes", "run_seconds"):
        if not said.get(key):
            yield f"attend.{key} is missing: run the page with make pages"


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_shape(path):
    nothing(lacking(read(path), read(PAGES[0]).cells[0].source))


def test_the_set_up_cell_installs_the_package():
    assert "pip install" in read(PAGES[0]).cells[0].source


def whole_page():
    """A made-up page that lacks nothing."""
    claim = new_output("display_data", {"text/plain": "a.b: holds"}, metadata={"attend": {"claim": {"id": "a.b"}}})
    view = new_output("display_data", {widgets.VIEW: {"model_id": "w"}})
    exercise = "```{exercise-start} One\n:label: one\n```\n\n```{exercise-end}\n```"
    cells = [code("set_up()", tags=["remove-cell"]), prose("# Title")]
    cells += [code("claim()", [claim]), code("Figure()", [view])]
    cells += [prose(f"## {heading}") for heading in ENDING] + [prose(exercise), prose(exercise)]
    about = {"question": "What?", "description": "x" * 60, "systems": "GRU", "reading_minutes": 9, "run_seconds": 5}
    state = {"w": {"state": {"_anywidget_id": "attend.live.a.A"}}}
    return page(*cells, attend=about, widgets={widgets.STATE: {"state": state}})


def test_a_whole_page_passes():
    assert list(lacking(whole_page(), "set_up()")) == []


@pytest.mark.parametrize("cell", [0, 1, 2, 3, 4, 7, 8])
def test_a_page_without_one_of_its_bones_fails(cell):
    nb = whole_page()
    nb.cells[cell] = prose("Nothing.")
    assert len(list(lacking(nb, "set_up()"))) == 1


def test_a_visible_line_that_is_too_wide_fails():
    nb = whole_page()
    nb.cells[3].source = "x" * 81
    assert [said[:33] for said in lacking(nb, "set_up()")] == ["a visible line has 81 columns, at"]
    nb.cells[3].metadata["tags"] = ["hide-input"]
    assert list(lacking(nb, "set_up()")) == []


@pytest.mark.parametrize("key", ["question", "description", "systems", "reading_minutes", "run_seconds"])
def test_a_page_that_does_not_say_what_it_is_fails(key):
    nb = whole_page()
    del nb.metadata["attend"][key]
    assert len(list(lacking(nb, "set_up()"))) == 1
