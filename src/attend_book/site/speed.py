"""What the benchmarks measured, as a sentence and a table, read from their JSON when the book is built."""

import json
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from attend_book.site.claims import parse, row

RESULTS = "benchmarks"
BASES = {
    "recurrent": {"B": 64, "T": 100, "H": 128},
    "attention": {"B": 16, "T": 512, "H": 64},
    "transformers": {"B": 16, "T": 128, "H": 256},
    "decoding": {"B": 16, "H": 64},
    "ctc": {"B": 16, "T": 100, "H": 30},
}
"""The suites, and the size that the table of each shows; where T is not said, a line for each."""
HEADS = {
    "recurrent": "Unit",
    "attention": "Attention",
    "transformers": "Part",
    "decoding": "Words",
    "ctc": "Loss",
}


def machine(suite, result):
    """What it was measured on, as MyST text."""
    on = result["machine"]
    where = f"{on['cores']} core{'s' if on['cores'] != 1 else ''} of an {on['processor']}, under {on['system']}"
    versions = f"PyTorch {on['torch']} (with {on['vectors']}) and Python {on['python']}"
    return [f"Measured on {where}, with {versions}: {len(result['rows'])} comparisons, {result['rounds']} rounds each."]


def table(suite, result):
    """The rows at the base size, as MyST text: a line for each unit and pass, a column for each number of threads."""
    rows = [found for found in result["rows"] if found.items() >= BASES[suite].items()]
    threads = sorted({found["threads"] for found in rows})
    lines = ["::::{list-table}", ":header-rows: 1", f":widths: 4{' 3' * len(threads)}", ""]
    lines += row(HEADS[suite], *(f"{n} thread{'s' if n > 1 else ''}" for n in threads))
    found = {(name(one, suite), one["threads"]): one for one in rows}
    for line in dict.fromkeys(line for line, _ in found):
        lines += row(line, *(_cell(found[line, n]) for n in threads))
    return [*lines, "::::", ""]


def name(one, suite):
    """What a line of a suite's table is called: the unit and its pass, or the length of the words."""
    if "T" not in BASES[suite]:
        return str(one["T"])
    return f"{one['unit']}, {one['does'].replace('+', ' and ')}{'' if one['fused'] else ', PyTorch unfused'}"


def _cell(one):
    ours, theirs = (f"{ms:,.0f}" if ms >= 1_000 else f"{ms:.3g}" for ms in (one["ours_ms"], one["theirs_ms"]))
    return f"{one['ratio']:.2f} ({ours}\u00a0:\u00a0{theirs})"


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
