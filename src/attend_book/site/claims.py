"""Claims where they stand on a page, and the ledger that gathers them from all executed pages."""

import json
import re
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from attend_book.site import course, source

NUMBER = re.compile(
    r"`[^`]*`|\$[^$]*\$|(?<=\d) ?(?P<share>%)"
    r"|(?<![\w.])(?P<number>-?\d+(?:\.\d+)?)e(?P<sign>[+-]?)(?P<power>\d+)\b"
    r"|(?<![\w.)-])(?P<minus>-)(?=\d)"
)
OURS = "ours"
DOT = "\u00a0· "
SUMMARY = {
    "holds": ("holds as stated", "hold as stated"),
    "holds only if": ("holds only under a condition", "hold only under a condition"),
    "not reproduced": ("could not be reproduced", "could not be reproduced"),
    "wrong in the source": ("is wrong in the source", "are wrong in the source"),
}


def anchor(record):
    """The id of a claim's place on its page."""
    return f"claim-{record['id']}"


def cited(record, style="t"):
    """The source of a claim, as MyST text."""
    return "this course" if record["source"] == OURS else f"{{cite:{style}}}`{record['source']}`"


def printed(text):
    """Numbers as a book prints them and a line never breaks: 2e-16 as 2 × 10 to the power of −16, 16% as 16 %.

    A minus is no hyphen. Code and equations stay as they are.
    """

    def power(found):
        if found["share"]:
            return "\u202f%"
        if found["minus"]:
            return "−"
        if not found["power"]:
            return found[0]
        sign = found["sign"].replace("-", "−").strip("+")
        return f"{found['number'].replace('-', '−')}\u00a0×\u00a010{{sup}}`{sign}{int(found['power'])}`"

    return NUMBER.sub(power, text)


def verdict(record):
    """The verdict in words, with its condition."""
    return f"{record['verdict']} {record['only_if']}".strip()


def kind(record):
    """The verdict as a class of the style sheet."""
    return record["verdict"].replace(" ", "-")


class Claim(SphinxDirective):
    """One claim of this page, put here by `source.prepare`."""

    has_content = True

    def run(self):
        """What is said, the verdict, what was measured and whose claim it is, under the claim's own id."""
        record = json.loads("\n".join(self.content))
        box = nodes.container(classes=["claim", kind(record)], ids=[anchor(record)], names=[anchor(record)])
        box += self._line("says", record["says"])
        line = self._line("finding", f"{printed(record['measured'])}{DOT}{cited(record)}")
        parsed, _ = self.state.inline_text(verdict(record), self.lineno)
        line.insert(0, nodes.inline("", "", *parsed, classes=["verdict"]))
        line.insert(1, nodes.Text(DOT))
        box += line
        self.state.document.note_explicit_target(box)
        return [box]

    def _line(self, name, text):
        parsed, messages = self.state.inline_text(text, self.lineno)
        return nodes.paragraph("", "", *parsed, *messages, classes=[name])


def summary(pages):
    """How many claims there are and how they came out, as MyST text."""
    counts = Counter(record["verdict"] for _, _, records in pages for record in records)
    total = sum(counts.values())
    found = [f"{counts[name]} {words[counts[name] > 1]}" for name, words in SUMMARY.items() if counts[name]]
    return [f"The book states {total} claims. Of these, {', '.join(found)}." if total else "No page states a claim."]


def tables(pages):
    """The ledger as MyST text, a table for each page. `pages` gives (title, docname, records) in reading order."""
    lines = []
    for title, docname, records in pages:
        if records:
            lines += [f"## [{title}](/{docname})", "", "::::{list-table}", ":header-rows: 1", ":class: ledger", ""]
            lines += _row("Claim", "Source", "Verdict", "Measured")
            lines += [row for record in records for row in _entry(record)] + ["::::", ""]
    return lines


def _entry(record):
    says = record["says"].replace("[", "\\[").replace("]", "\\]")
    marked = f"[{verdict(record)}]{{.verdict .{kind(record)}}}"
    return _row(f"[{says}](#{anchor(record)})", cited(record), marked, printed(record["measured"]))


def _row(*cells):
    return [f"{'* -' if not i else '  -'} {' '.join(cell.split())}" for i, cell in enumerate(cells)]


class Ledger(SphinxDirective):
    """`{ledger} summary` or `{ledger} tables`: the book's claims, filled from the committed pages."""

    required_arguments = 1

    def run(self):
        """The ledger's text, parsed as if it stood on this page."""
        pages = []
        for page in course.chapters(self.env.srcdir, self.config.external_site_map):
            path = Path(self.env.srcdir) / f"{page.docname}.ipynb"
            self.env.note_dependency(str(path))
            pages.append((page.title, page.docname, list(source.claims(source.read(path)))))
        return parse(self, {"summary": summary, "tables": tables}[self.arguments[0]](pages))


def parse(directive, lines):
    """MyST lines as nodes, headings included."""
    box = nodes.section(document=directive.state.document)
    directive.state.nested_parse(StringList(lines, source=directive.env.docname), 0, box, match_titles=True)
    return box.children


def setup(app):
    """Register the directives."""
    app.add_directive("attend-claim", Claim)
    app.add_directive("ledger", Ledger)
