"""`make seeds`: does every claim come out when the pages draw other random numbers?

Each page runs in a scratch folder, for each of the seeds k = 0, 1, 2, with k · 100,003 added to every seed that the
page or a recipe sets: by torch.manual_seed, torch.Generator().manual_seed, numpy.random or random. k = 0 is the page as
it stands. So what a page samples, the networks it trains and the test sets it draws are others. What stays is data:
which numbers there are and which example is printed (seeds that attend.tasks sets for itself), the trained weights that
a page loads and the results that a recipe recorded. Those were made with seeds of their own, as their recipe says.

A claim that does not come out is noted and the page goes on. Any other error ends the page, and the claims behind it
count as not reached. The whole table is written to _build/seeds/claims.md and claims.json.
"""

import argparse
import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from nbformat.v4 import new_code_cell

from attend_book import ROOT, notebook
from attend_book.execute import execute
from attend_book.site.source import claims

APART = 100_003
"""How far one seed's numbers lie from the next one's; pages count their own seeds from 0 and stay far below."""
OUT = ROOT / "_build" / "seeds"
BEGIN = (
    "import attend.claims, numpy, random, torch; from attend_book.shift import begin; begin({by}, torch, numpy, random)"
)
NOT_REACHED = "not reached"


@dataclass
class Run:
    """One page with one seed: its claims by id, and why it ended early, if it did."""

    page: str
    seed: int
    claims: dict = field(default_factory=dict)
    broken: str = ""
    seconds: float = 0.0


def main(arguments):
    """Run pages (all of them when none is named) under each seed; returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book seeds", description=main.__doc__)
    parser.add_argument("page", nargs="*", type=notebook.find, help="chapters/x/y.md, x/y or y")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="K", help="0 is the page as it is")
    parser.add_argument("--beside", type=int, default=2, help="how many pages run side by side, one thread each")
    parser.add_argument("--path-output", type=Path, default=OUT, help="the folder of the table")
    options = parser.parse_args(arguments)
    chosen, began = options.page or notebook.pages(), time.monotonic()
    runs = []
    for done in run_all(chosen, options.seeds, options.beside):
        runs.append(done)
        print(f"{len(runs):3d} of {len(chosen) * len(options.seeds)}  {told(done)}", flush=True)
        table = tabulate(chosen, options.seeds, runs)
        write(table, options.seeds, options.path_output)
    failed = report(table, options.seeds, runs)
    print(f"{time.monotonic() - began:.0f} s in all; the table: {notebook.name(options.path_output / 'claims.md')}")
    return 1 if failed else 0


def report(table, seeds, runs):
    """Print what failed, by name; returns whether anything did."""
    failed, broken = [row for row in table if not row["came_out"]], [run for run in runs if run.broken]
    for run in broken:
        print(f"\nBROKEN  seed {run.seed}: {run.broken}")
    for row in failed:
        print(f"\nFAILED  {row['id']} ({row['verdict']}): {row['says']}")
        print("\n".join(f"  seed {seed}: {shown(row['seeds'][seed])}" for seed in seeds))
    said = ", ".join(map(str, seeds))
    print(f"\n{len(table) - len(failed)} of {len(table)} claims come out; seeds {said}")
    return bool(failed or broken)


def run_all(pages, seeds, beside):
    """Every page with every seed, each run as soon as it is done."""
    pool = ThreadPoolExecutor(beside)
    try:
        for done in as_completed([pool.submit(run, path, seed) for seed in seeds for path in pages]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def run(path, seed):
    """One page with one seed, in a scratch folder; the page itself is only read."""
    done, nb, began = Run(notebook.name(path), seed), notebook.read(path), time.monotonic()
    nb.cells.insert(0, new_code_cell(BEGIN.format(by=seed * APART)))
    with tempfile.TemporaryDirectory() as scratch:
        try:
            execute(nb, scratch, done.page)
        except notebook.Refused as refused:
            done.broken = str(refused)
    done.claims = {record["id"]: {"came_out": True} | record for record in claims(nb)}
    done.seconds = time.monotonic() - began
    return done


def told(done):
    """One line about a run."""
    out = sum(record["came_out"] for record in done.claims.values())
    missed = ", ".join(name for name, record in done.claims.items() if not record["came_out"])
    end = f" · FAILED {missed}" if missed else ""
    end += f" · BROKEN {done.broken.splitlines()[0]}" if done.broken else ""
    return f"{done.page}, seed {done.seed}: {out} of {len(done.claims)} claims come out, {done.seconds:.0f} s{end}"


def tabulate(pages, seeds, runs):
    """A row for each claim that a page saved or that a run reached; under each seed its record or "not reached"."""
    rows = []
    for path in pages:
        page = notebook.name(path)
        by_seed = {run.seed: run.claims for run in runs if run.page == page}
        stated = {record["id"]: record for record in claims(notebook.read(path))}
        for name, record in {k: v for known in (*by_seed.values(), stated) for k, v in known.items()}.items():
            found = {seed: by_seed.get(seed, {}).get(name, NOT_REACHED) for seed in seeds}
            came_out = all(one != NOT_REACHED and one["came_out"] for one in found.values())
            about = {key: record[key] for key in ("id", "says", "verdict", "only_if")}
            rows.append({"page": page, **about, "came_out": came_out, "seeds": found})
    return rows


def shown(one):
    """What one seed's run says of a claim: the measured numbers, and whether it failed."""
    if one == NOT_REACHED:
        return NOT_REACHED
    return one["measured"] if one["came_out"] else f"FAILED: {one['measured']}"


def write(table, seeds, folder):
    """The table as JSON and as Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    notebook.write_whole(folder / "claims.json", json.dumps(table, indent=1, ensure_ascii=False) + "\n")
    lines = [("claim", "verdict", "comes out", *(f"seed {seed}" for seed in seeds))]
    lines.append(("---",) * len(lines[0]))
    for row in table:
        out = "yes" if row["came_out"] else "**no**"
        verdict = f"{row['verdict']} {row['only_if']}".strip()
        lines.append((row["id"], verdict, out, *(shown(row["seeds"][seed]) for seed in seeds)))
    text = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    notebook.write_whole(folder / "claims.md", text + "\n")
