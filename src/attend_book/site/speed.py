"""What the benchmarks measured, as a sentence and a table, read from their JSON when the book is built."""

import json
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from attend_book.site.claims import parse

RESULTS = "benchmarks"
BASES = {
    "recurrent": {"B": 64, "T": 100, "H": 128},
    "attention": {"B": 64, "T": 512, "H": 64},
    "transformers": {"B": 16, "T": 128, "H": 256},
    "decoding": {"B": 16, "H": 64},
}
"""The suites, and the size that the table of each shows; where T is not said, a line for each."""
HEADS = {"recurrent": "Unit", "attention": "Attention", "transformers": "Part", "decoding": "Words"}


def machine(suite, result):
    """What it was measured on, as MyST text."""
    on = result["machine"]
    where = f"{on['cores']} core{'s' if on['cores'] != 1 else ''} of an {on['processor']}, under {on['system']}"
    versions = f"PyTorch {on['torch']} (with {on['vectors']}) and Python {on['python']}"
    return [f"Measured on {where}, with {versions}: {len(result['rows'])} comparisons, {result['rounds']} rounds each."]


def table(suite, result):
    """The rows at the base size, as MyST text: a line for each unit and pass, a column for each number of threads."""
    rows = [row for row in result["rows"] if row.items() >= BASES[suite].items()]
    threads = sorted({row["threads"] for row in rows})
    lines = ["::::{list-table}", ":header-rows: 1", f":widths: 4{' 3' * len(threads)}", ""]
    lines += _row(HEADS[suite], *(f"{n} thread{'s' if n > 1 else ''}" for n in threads))
    name = _way if "T" in BASES[suite] else _length
    found = {(name(row), row["threads"]): row for row in rows}
    for line in dict.fromkeys(name for name, _ in found):
        lines += _row(line, *(_cell(found[line, n]) for n in threads))
    return [*lines, "::::", ""]


def _way(row):
    rival = "" if row["fused"] else ", PyTorch unfused"
    return f"{row['unit']}, {row['does'].replace('+', ' and ')}{rival}"


def _length(row):
    return str(row["T"])


def _cell(row):
    ours, theirs = (f"{ms:,.0f}" if ms >= 1_000 else f"{ms:.3g}" for ms in (row["ours_ms"], row["theirs_ms"]))
    return f"{row['ratio']:.2f} ({ours}\u00a0:\u00a0{theirs})"


def _row(*cells):
    return [f"{'* -' if not i else '  -'} {cell}" for i, cell in enumerate(cells)]


class Speed(SphinxDirective):
    """`{speed} SUITE machine` or `{speed} SUITE table`."""

    required_arguments = 2

    def run(self):
        """The text, parsed as if it stood on this page."""
        suite, asked = self.arguments
        path = Path(self.env.srcdir) / RESULTS / f"{suite}.json"
        self.env.note_dependency(str(path))
        result = json.loads(path.read_text())
        return parse(self, {"machine": machine, "table": table}[asked](suite, result))


def setup(app):
    """Register the directive."""
    app.add_directive("speed", Speed)
