"""`make pages` and `make draft`: the only way in which a page is written."""

import argparse
import time
from pathlib import Path

from nbformat.v4 import new_markdown_cell, new_notebook

from attend_book import digest, notebook, shape
from attend_book.execute import execute
from attend_book.notebook import Refused

TITLE = "Title"
RUN_SECONDS = (5, 10, 20, 30, 60, 90, 120, 180, 240, 300, 600)


def pages(arguments):
    """Execute and normalise pages (all of them when none is named); returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book pages", description=pages.__doc__)
    parser.add_argument("page", nargs="*", type=Path, help="X.ipynb, or X.md to make X.ipynb from its draft")
    parser.add_argument("--force", action="store_true", help="execute a draft whose code did not change, too")
    parser.add_argument("--stale", action="store_true", help="of the pages, only those that need it")
    options = parser.parse_args(arguments)
    chosen = options.page or notebook.pages()
    if options.stale:
        chosen = [path for path in chosen if stale(notebook.read(path))]
    if not chosen:
        print("every page is up to date" if options.stale else "chapters/ has no page yet")
    began, failed = time.monotonic(), []
    for path in chosen:
        try:
            make(path, options.force)
        except Refused as refused:
            failed.append(notebook.name(path))
            where = "" if str(refused).startswith(notebook.name(path.with_suffix(""))) else f"{notebook.name(path)}: "
            print(f"\nREFUSED  {where}{refused}\n", flush=True)
    if len(chosen) > 1:
        print(f"{len(chosen) - len(failed)} of {len(chosen)} pages in {time.monotonic() - began:.0f} s")
    if failed:
        print(f"left as they were: {', '.join(failed)}")
    return 1 if failed else 0


def stale(nb):
    """What changed since the page was run, in words."""
    return digest.changes(nb.metadata.get("attend", {}), digest.digest(nb))


def make(path, force=False):
    """One page from its draft (X.md) or from itself (X.ipynb): execute, normalise, write whole."""
    target = path.with_suffix(".ipynb")
    page, began = notebook.name(target), time.monotonic()
    nb, before = notebook.read(path), notebook.read(target) if target.exists() else None
    now = digest.digest(nb)
    recorded = dict(before.metadata.get("attend", {})) if before else {}
    notebook.text(nb)  # a work that nobody knows is refused before the page is run
    if path.suffix != ".ipynb" and not force and before and not digest.changes(recorded, now):
        take_outputs(nb, before)
        seconds, how = recorded.get("run_seconds", 0), "prose only, outputs kept"
    else:
        seconds, how = run_seconds(execute(nb, target.parent, page), recorded.get("run_seconds")), "executed"
    own = {k: v for k, v in nb.metadata.get("attend", {}).items() if k not in notebook.MEASURED}
    notebook.normalise(nb, page)
    nb.metadata["attend"] = (
        own
        | now
        | {
            "reading_minutes": notebook.reading_minutes(nb),
            "run_seconds": seconds,
        }
    )
    written = notebook.text(nb)
    same = target.exists() and target.read_text(encoding="utf-8") == written
    if not same:
        notebook.write_whole(target, written)
    print(f"{page}: {how} in {time.monotonic() - began:.0f} s, {'unchanged' if same else 'written'}", flush=True)
    for notice in notebook.notices(nb):
        print(f"  notice, {notice}", flush=True)
    for lack in shape.missing(nb, target):
        print(f"  not whole yet: {lack}", flush=True)


def take_outputs(nb, before):
    """Give the cells of a draft the outputs of the same cells of the committed notebook."""
    for cell, old in zip(digest.code(nb), digest.code(before), strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
    if "widgets" in before.metadata:
        nb.metadata["widgets"] = before.metadata["widgets"]


def run_seconds(measured, recorded):
    """Processor seconds, rounded up to a coarse step; a recorded step stays unless it is off by more than two."""
    step = next((step for step in RUN_SECONDS if measured <= step), RUN_SECONDS[-1])
    return recorded if recorded and recorded / 2 <= step <= recorded * 2 else step


def draft(arguments):
    """Write a page's draft beside it, or the bones of a page that is not there yet; an edited draft is kept."""
    parser = argparse.ArgumentParser(prog="attend_book draft", description=draft.__doc__)
    parser.add_argument("page", type=Path, help="X.ipynb")
    parser.add_argument("--force", action="store_true", help="overwrite a draft that differs from the page")
    options = parser.parse_args(arguments)
    target = options.page.with_suffix(".md")
    try:
        page = options.page.with_suffix(".ipynb")
        text = notebook.to_draft(notebook.read(page) if page.exists() else bones(notebook.read(notebook.pages()[0])))
    except Refused as refused:
        print(f"REFUSED  {refused}")
        return 1
    if target.exists() and target.read_text(encoding="utf-8") != text and not options.force:
        print(f"REFUSED  {notebook.name(target)} exists and differs from the page; keep it or add FORCE=1")
        return 1
    notebook.write_whole(target, text)
    print(f"{notebook.name(target)} written; edit it, then: make pages PAGE={notebook.name(target)}")
    return 0


def bones(other):
    """A page with nothing on it but what every page has; the set-up cell is that of another page."""
    headings = "".join(f"\n\n## {heading}" for heading in shape.ENDING)
    return new_notebook(
        metadata={"attend": {"question": "", "description": ""}},
        cells=[other.cells[0], new_markdown_cell(f"# {TITLE}{headings}")],
    )
