"""`python -m attend_book seeds`: do claims that pages measure in their own cells come out with other random numbers?

Each page runs in a scratch folder, for each of the seeds k = 0, 1, 2, with k · 100,003 added to every seed that the
page or a recipe sets. k = 0 is the page as it stands. What stays is data: seeds that attend.tasks sets for itself,
trained weights that a page loads, and records. A claim that does not come out is noted and the page goes on; any other
error ends the page. Claims of `attend.evidence` have seeds of their own: `python -m attend.evidence --seeds +1000`.
"""

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from nbformat.v4 import new_code_cell

from attend_book import ROOT, notebook
from attend_book.execute import execute
from attend_book.site.source import claims

APART = 100_003
"""How far one seed's numbers lie from the next one's; pages count their own seeds from 0 and stay far below."""
TABLE = ROOT / "_build" / "seeds" / "claims.md"
BEGIN = """
import attend.evidence, attend_book.shift, numpy, random, torch
attend_book.shift.begin({by}, torch, numpy, random)
"""


def main(arguments):
    """Run pages (all of them when none is named) under each seed; returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book seeds", description=main.__doc__)
    parser.add_argument("page", nargs="*", type=notebook.find, help="chapters/x/y.md, x/y or y")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="K", help="0 is the page as it is")
    parser.add_argument("--beside", type=int, default=2, help="how many pages run side by side, one thread each")
    parser.add_argument("--path-output", type=Path, default=TABLE, help="where the report is written")
    options = parser.parse_args(arguments)
    said, failed = [], False
    with ThreadPoolExecutor(options.beside) as pool:
        tasks = [pool.submit(run, path, seed) for seed in options.seeds for path in options.page or notebook.pages()]
        for number, done in enumerate(as_completed(tasks), 1):
            lines, good = done.result()
            failed |= not good
            said += lines
            print(f"{number} of {len(tasks)}  " + "\n".join(lines), flush=True)
            options.path_output.parent.mkdir(parents=True, exist_ok=True)
            notebook.write_whole(options.path_output, "".join(f"- {line}\n" for line in said))
    return 1 if failed else 0


def run(path, seed):
    """One page with one seed, in a scratch folder; the page is only read. What came out, as lines, and whether all."""
    name, nb, broken = notebook.name(path), notebook.read(path), []
    nb.cells.insert(0, new_code_cell(BEGIN.format(by=seed * APART)))
    with tempfile.TemporaryDirectory() as scratch:
        try:
            execute(nb, scratch, name)
        except notebook.Refused as refused:
            broken = [f"**BROKEN** {str(refused).splitlines()[0]} (seed {seed}); the claims behind it were not reached"]
    records = list(claims(nb))
    missed = [record for record in records if not record.get("came_out", True)]
    lines = [f"{name}, seed {seed}: {len(records) - len(missed)} of {len(records)} claims come out"]
    lines += [f"**FAILED** {one['id']} ({one['verdict']}), seed {seed}: {one['measured']}" for one in missed]
    return lines + broken, not (missed or broken)
