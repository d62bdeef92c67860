"""What the site knows about each page before it draws it: title, question, times; and the order of the parts."""

import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from attend_book.site import source

WORDS_A_MINUTE = 220
CODE_LINES_A_MINUTE = 30
HIDING_TAGS = {"remove-cell", "remove-input", "hide-cell", "hide-input"}
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
SOURCE_ONLY = re.compile(r"^(?:```.*|:::.*|\(.*\)=|:\w[\w-]*:.*|\+\+\+.*)$|<[^>]*>|\{[\w:-]+\}", re.MULTILINE)


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
    if path.suffix == ".ipynb":
        nb = source.read(path)
        meta, cells = dict(nb.metadata), nb.cells
        prose = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        if front := FRONT.match(prose):
            meta = yaml.safe_load(front[1]) | meta
        hidden = (HIDING_TAGS & set(cell.metadata.get("tags", ())) for cell in cells)
        code = sum(
            len(cell.source.splitlines())
            for cell, hide in zip(cells, hidden, strict=True)
            if cell.cell_type == "code" and not hide
        )
    else:
        prose, code = path.read_text(encoding="utf-8"), 0
        front = FRONT.match(prose)
        meta = yaml.safe_load(front[1]) if front else {}
    own = meta.get("attend") or {}
    described = ((meta.get("myst") or {}).get("html_meta") or {}).get("description", "")
    title = re.search(r"^# (.+)$", prose, re.MULTILINE)
    return Page(
        docname=docname,
        title=title[1].strip() if title else docname,
        question=own.get("question", ""),
        description=own.get("description") or described or own.get("question", ""),
        minutes=int(own.get("reading_minutes") or reading_minutes(prose, code)),
        seconds=int(own.get("run_seconds") or 0),
        notebook=path.suffix == ".ipynb",
        systems=own.get("systems", ""),
    )


def reading_minutes(prose, code_lines):
    """Whole minutes to read a page: its words at a quiet pace, and its visible lines of code."""
    words = len(SOURCE_ONLY.sub(" ", FRONT.sub("", prose)).split())
    return max(1, math.ceil(words / WORDS_A_MINUTE + code_lines / CODE_LINES_A_MINUTE))


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
