"""What the benchmarks measured, as a sentence and a table, read from their one JSON when the book is built."""

import json
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from attend_book.site.claims import parse

RESULT = "benchmarks/speed.json"
BASE = {"B": 64, "T": 100, "H": 128}


def machine(result):
    """What it was measured on, as MyST text."""
    on = result["machine"]
    where = f"{on['cores']} core{'s' if on['cores'] != 1 else ''} of an {on['processor']}, under {on['system']}"
    versions = f"PyTorch {on['torch']} (with {on['vectors']}) and Python {on['python']}"
    return [f"Measured on {where}, with {versions}: {len(result['rows'])} comparisons, {result['rounds']} rounds each."]


def table(result):
    """The rows at the base size, as MyST text: a line for each unit and pass, a column for each number of threads."""
    rows = [row for row in result["rows"] if row.items() >= BASE.items()]
    threads = sorted({row["threads"] for row in rows})
    lines = ["::::{list-table}", ":header-rows: 1", f":widths: 4{' 3' * len(threads)}", ""]
    lines += _row("Unit", *(f"{n} thread{'s' if n > 1 else ''}" for n in threads))
    found = {(row["unit"], row["does"], row["fused"], row["threads"]): row for row in rows}
    for unit, does, fused in dict.fromkeys(key[:3] for key in found):
        rival = "" if fused else ", PyTorch unfused"
        cells = (_cell(found[unit, does, fused, n]) for n in threads)
        lines += _row(f"{unit}, {does.replace('+', ' and ')}{rival}", *cells)
    return [*lines, "::::", ""]


def _cell(row):
    return f"{row['ratio']:.2f} ({row['ours_ms']:.3g}\u00a0:\u00a0{row['theirs_ms']:.3g})"


def _row(*cells):
    return [f"{'* -' if not i else '  -'} {cell}" for i, cell in enumerate(cells)]


class Speed(SphinxDirective):
    """`{speed} machine` or `{speed} table`."""

    required_arguments = 1

    def run(self):
        """The text, parsed as if it stood on this page."""
        path = Path(self.env.srcdir) / RESULT
        self.env.note_dependency(str(path))
        result = json.loads(path.read_text())
        return parse(self, {"machine": machine, "table": table}[self.arguments[0]](result))


def setup(app):
    """Register the directive."""
    app.add_directive("speed", Speed)
