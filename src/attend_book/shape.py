"""What every page has: question, claims, a live figure, exercises, checks, sources, a place in the book.

`make pages` lists what a page still lacks; a house test refuses a committed one that lacks anything.
"""

import re
from pathlib import Path

from attend_book import OPEN, ROOT, notebook, widgets
from attend_book.notebook import hidden
from attend_book.site import course
from attend_book.site.source import claims

SECTIONS = ("Where it breaks", "Exercises", "Sources")
"""How these sections begin is the same on every page, in this order; others may stand between them."""
DESCRIPTION, WIDTH = 160, 76


def wide(nb):
    """The lines of visible code that a page has no room for."""
    cells = (cell for cell in nb.cells if cell.cell_type == "code" and not hidden(cell))
    return [line for cell in cells for line in cell.source.splitlines() if len(line) > WIDTH]


def lacking(nb):
    """What a page lacks."""
    yield from lacking_metadata(nb.metadata.get("attend", {}))
    if cells := [cell for cell in nb.cells if OPEN in cell.source]:
        yield f"it says {OPEN} in {len(cells)} cells"
    text = "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    bare = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1\s*$", "", text, flags=re.M | re.S)
    if len(re.findall(r"^# \S", bare, flags=re.M)) != 1:
        yield "it must have one title, `# …`"
    headings = re.findall(r"^## +(.+?)\s*$", bare, flags=re.M)
    found = [name for heading in headings for name in SECTIONS if heading.startswith(name)]
    if found != list(SECTIONS):
        wanted = ", ".join(SECTIONS)
        yield f"it must have sections that begin {wanted}, once and in this order; it has {', '.join(found)}"
    exercises = len(re.findall(r"\{exercise-start\}", text))
    if exercises < 2:
        yield f"it has {exercises} exercises, at least 2"
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


def missing(nb, path):
    """What the page at `path` lacks, of itself and in the book."""
    yield from lacking(nb)
    docname = Path(notebook.name(path)).with_suffix("").as_posix()
    if docname not in {name for _, names in course.parts(course.contents(ROOT)) for name in names}:
        yield "_toc.yml does not name it"
