"""What the site knows about each page before it draws it: title, question, times; and the order of the parts."""

import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from attend_book import notebook, widgets
from attend_book.site import source

WORDS_A_MINUTE = 220
CODE_LINES_A_MINUTE = 30
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
TAG = r"</?[a-z][\w-]*(?:\s[^<>]*)?>"
SOURCE_ONLY = re.compile(rf"^(?:```.*|:::.*|\(.*\)=|:\w[\w-]*:.*|\+\+\+.*)$|{TAG}|\{{[\w:-]+\}}", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page as the contents list, the map and the page head show it."""

    docname: str
    title: str
    question: str
    description: str
    minutes: int
    seconds: int
    notebook: bool
    systems: str = ""


@cache
def _page(path, docname, _changed):
    if nb := source.read(path):
        meta, figures = nb.metadata, len(list(widgets.views(nb)))
        prose = "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
        code = sum(len(cell.source.splitlines()) for cell in notebook.code(nb) if not notebook.hidden(cell))
    else:
        prose, code, figures = path.read_text(encoding="utf-8"), 0, 0
        front = FRONT.match(prose)
        meta = yaml.safe_load(front[1]) if front else {}
    own = meta.get("attend") or {}
    title = re.search(r"^# (.+)$", prose, re.MULTILINE)
    return Page(
        docname=docname,
        title=title[1].strip() if title else docname,
        question=own.get("question", ""),
        description=own.get("description") or own.get("question", ""),
        minutes=reading_minutes(prose, code, figures),
        seconds=int(own.get("run_seconds") or 0),
        notebook=nb is not None,
        systems=own.get("systems", ""),
    )


def reading_minutes(prose, code_lines, figures=0):
    """Whole minutes to read a page: words at a quiet pace, visible lines of code, a minute for each live figure."""
    words = len(SOURCE_ONLY.sub(" ", FRONT.sub("", prose)).split())
    return max(1, math.ceil(words / WORDS_A_MINUTE + code_lines / CODE_LINES_A_MINUTE + figures))


def page(srcdir, docname):
    """The page `docname` below `srcdir`."""
    for suffix in (".ipynb", ".md"):
        path = Path(srcdir) / f"{docname}{suffix}"
        if path.is_file():
            return _page(path, docname, path.stat().st_mtime_ns)
    raise FileNotFoundError(f"docname: got {docname!r}, expected a page below {srcdir}")


def contents(srcdir):
    """The table of contents of the book below `srcdir`, as Sphinx gets it."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    return parse_toc_yaml(Path(srcdir) / "_toc.yml")


def parts(site_map):
    """The book's contents in order: (caption, docnames) for each part of the table of contents."""
    return [(tree.caption or "", [str(item) for item in tree.items]) for tree in site_map.root.subtrees]


def chapters(srcdir, site_map):
    """The executable pages of the book, in reading order."""
    listed = (docname for _, docnames in parts(site_map) for docname in docnames)
    return [found for docname in listed if (found := page(srcdir, docname)).notebook]


def run_time(seconds):
    """A run time in words: `20 s`, `2 min`."""
    return f"{seconds} s" if seconds < 90 else f"{round(seconds / 60)} min"
