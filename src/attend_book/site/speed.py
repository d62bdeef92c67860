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


def card(suite, result):
    """What a graphics card was measured on, as MyST text."""
    on = result["machine"]
    return [
        f"Measured on one {on['gpu']}, beside {on['cores']} cores of an {on['processor']}, with PyTorch {on['torch']}: "
        f"{result['rounds']} rounds each on the card."
    ]


def training(suite, result):
    """A step of training, as MyST text: a line for each length, a column for each model and device."""
    rows = [found for found in result["rows"] if found["task"] == "training"]
    where = {"cuda": "card", "cpu": f"{result['machine']['threads']} threads"}
    columns = list(dict.fromkeys((found["device"], found["unit"]) for found in rows))
    found = {(one["T"], one["device"], one["unit"]): _ms(one["ms"]) for one in rows}
    heads = [f"{unit}, {where[device]}" for device, unit in columns]
    lines = {str(T): [found.get((T, *one), "") or "not measured" for one in columns] for T in _lengths(rows)}
    return _table("Tokens", heads, lines)


def attention(suite, result):
    """Attention there and back, as MyST text: a line for each length and precision, the two ways, and their memory."""
    rows = [found for found in result["rows"] if found["task"] == "attention"]
    lines = {}
    for precision in dict.fromkeys(one["precision"] for one in rows):
        for T in _lengths(rows):
            pair = [one for one in rows if one["T"] == T and one["precision"] == precision]
            lines[f"{T:,}, {precision}"] = [f"{one['ms']:.3g} ({one['MiB']:,.0f})" for one in pair]
    return _table("Tokens", [f"{unit}, ms (MiB)" for unit in dict.fromkeys(one["unit"] for one in rows)], lines)


def _lengths(rows):
    return sorted({one["T"] for one in rows})


def _table(corner, heads, lines):
    text = ["::::{list-table}", ":header-rows: 1", f":widths: 4{' 3' * len(heads)}", "", *row(corner, *heads)]
    for name, cells in lines.items():
        text += row(name, *cells)
    return [*text, "::::", ""]


def name(one, suite):
    """What a line of a suite's table is called: the unit and its pass, or the length of the words."""
    if "T" not in BASES[suite]:
        return str(one["T"])
    return f"{one['unit']}, {one['does'].replace('+', ' and ')}{'' if one['fused'] else ', PyTorch unfused'}"


def _ms(ms):
    return f"{ms:,.0f}" if ms >= 1_000 else f"{ms:.3g}"


def _cell(one):
    ours, theirs = _ms(one["ours_ms"]), _ms(one["theirs_ms"])
    return f"{one['ratio']:.2f} ({ours}\u00a0:\u00a0{theirs})"


SHOWN = {"machine": machine, "table": table, "card": card, "training": training, "attention": attention}


class Speed(SphinxDirective):
    """`{speed} SUITE machine` or `{speed} SUITE table`; `{speed} gpu` with card, training or attention."""

    required_arguments = 2

    def run(self):
        """The text, parsed as if it stood on this page."""
        suite, asked = self.arguments
        path = Path(self.env.srcdir) / RESULTS / f"{suite}.json"
        self.env.note_dependency(str(path))
        result = json.loads(path.read_text())
        return parse(self, SHOWN[asked](suite, result))


def setup(app):
    """Register the directive."""
    app.add_directive("speed", Speed)
