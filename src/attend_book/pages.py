"""`make pages`: build the notebook of a page from its text. The only way in which one is written."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from attend_book import notebook, set_up, shape
from attend_book.digest import Lock, needs
from attend_book.execute import execute
from attend_book.notebook import Refused

RUN_SECONDS = (5, 10, 20, 30, 60, 90, 120, 180, 240, 300, 600)


def pages(arguments):
    """Build pages (all of them when none is named): run those whose lock line differs; returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book pages", description=pages.__doc__)
    parser.add_argument("page", nargs="*", help="chapters/x/y.md, x/y or y")
    parser.add_argument("--force", action="store_true", help="run the code even where nothing it needs changed")
    parser.add_argument("--stale", action="store_true", help="only the pages whose lock line differs")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many pages run side by side, one thread each")
    options = parser.parse_args(arguments)
    began, failed = time.monotonic(), []

    def attempt(said):
        try:
            make(notebook.find(said), options.force, watched=options.jobs == 1)
        except Refused as refused:
            failed.append(str(said))
            where = "" if str(refused).startswith((str(said), notebook.name(said))) else f"{said}: "
            print(f"\nREFUSED  {where}{refused}\n", flush=True)

    chosen = options.page or [path for path in notebook.pages() if not options.stale or stale(path)]
    if not chosen:
        print("every page is up to date" if options.stale else "chapters/ has no page yet")
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(attempt, chosen))
    if len(chosen) > 1:
        print(f"{len(chosen) - len(failed)} of {len(chosen)} pages in {time.monotonic() - began:.0f} s")
    if failed:
        print(f"left as they were: {', '.join(failed)}")
    return 1 if failed else 0


def home(path):
    """The folder whose lock knows the page, and the page's name there."""
    path = Path(path).resolve()
    folder = notebook.CHAPTERS if path.is_relative_to(notebook.CHAPTERS) else path.parent
    return folder, path.relative_to(folder).as_posix()


def stale(path):
    """What changed since the page was run, in words; empty when nothing did."""
    try:
        nb = notebook.read(path)
        folder, name = home(path)
        lost = [f"cell {number} of its notebook has another code" for number in notebook.not_run(nb)]
        return Lock(folder).changes(name, nb) or lost
    except Refused as refused:
        return [str(refused)]


def make(path, force=False, watched=True):
    """One page from its text: run it unless its outputs are fresh, normalise, write the notebook, note the run."""
    target, page, began = path.with_suffix(".ipynb"), notebook.name(path), time.monotonic()
    nb, (folder, name) = notebook.read(path), home(path)
    recorded, ran = nb.metadata.get("attend", {}).get("run_seconds"), None
    notebook.text(nb)  # a work that nobody knows is refused before the page is run
    if force or stale(path):
        ran = needs(nb)  # as it is when the run begins
        nb.cells.insert(0, new_code_cell(set_up.source(), metadata={"tags": set_up.TAGS}))
        measured = execute(nb, target.parent, page, watched)
        seconds, how = run_seconds(measured, recorded), "executed"
    else:
        nb.cells.insert(0, nbformat.read(target, as_version=4).cells[0])
        seconds, how = recorded, "outputs kept"
    nb.metadata["attend"] = dict(nb.metadata.get("attend", {})) | {"run_seconds": seconds}
    notebook.normalise(nb, page)
    text = notebook.text(nb)
    same = target.exists() and target.read_text(encoding="utf-8") == text
    if not same:
        notebook.write_whole(target, text)
    if ran:
        Lock(folder).record(name, ran)
    print(f"{page}: {how} in {time.monotonic() - began:.0f} s, {'unchanged' if same else 'written'}", flush=True)
    for line in shape.wide(nb):
        print(f"  notice, of {len(line)} columns {shape.WIDTH} can be seen: {line}", flush=True)
    for lack in shape.missing(nb, target):
        print(f"  not whole yet: {lack}", flush=True)


def run_seconds(measured, recorded):
    """Processor seconds, rounded up to a coarse step; a recorded step stays unless it is off by more than two."""
    step = next((step for step in RUN_SECONDS if measured <= step), RUN_SECONDS[-1])
    return recorded if recorded and recorded / 2 <= step <= recorded * 2 else step
