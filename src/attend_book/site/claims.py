"""Claims where they stand on a page, and the ledger that gathers them from all executed pages."""

import json
import re
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from attend_book import plain
from attend_book.site import course, markup, source

NUMBER = re.compile(
    r"`[^`]*`|\$[^$]*\$|(?<=\d) ?(?P<share>%)"
    r"|(?<![\w.])(?P<number>-?\d+(?:\.\d+)?)e(?P<sign>[+-]?)(?P<power>\d+)\b"
    r"|(?<![\w.)-])(?P<minus>-)(?=\d)"
)
OURS = "ours"
SUMMARY = {
    "does not hold here": ("does not hold here", "do not hold here"),
    "slip in the source": ("is a slip in the source", "are slips in the source"),
    "cannot tell at this size": ("cannot be told at this size", "cannot be told at this size"),
    "holds only if": ("holds only under a condition", "hold only under a condition"),
    "holds": ("holds as stated", "hold as stated"),
}
"""The verdicts in the order of the ledger, which leads with what did not hold."""
HOLDS = "holds"


def anchor(record):
    """The id of a claim's place on its page."""
    return f"claim-{record['id']}"


def cited(record, style="t"):
    """The source of a claim, as MyST text."""
    if record["source"] == OURS:
        return "(this course)" if style == "p" else "this course"
    return f"{{cite:{style}}}`{record['source']}`"


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


def in_one_line(text):
    """What was measured, for a table: what the numbers are, a colon, and the parts between semicolons."""
    return printed(text).replace(":\n", ": ", 1).replace("\n", "; ")


def kind(record):
    """The verdict as a class of the style sheet."""
    return record["verdict"].replace(" ", "-")


class Claim(SphinxDirective):
    """One claim of this page, put here by `source.prepare`."""

    has_content = True

    def run(self):
        """The verdict, what is said and by whom, and what was measured, under the claim's own id."""
        with markup.spoken(self.state):
            return [self._box(json.loads("\n".join(self.content)))]

    def _box(self, record):
        box = nodes.container(classes=["claim", kind(record)], ids=[anchor(record)], names=[anchor(record)])
        line = self._line("says", f"{record['says']} {cited(record, 'p')}")
        heading = record["heading"]
        parsed, _ = self.state.inline_text(f"{heading[0].upper()}{heading[1:]}", self.lineno)
        line.insert(0, nodes.inline("", "", *parsed, classes=["verdict"]))
        line.insert(1, nodes.Text(": "))
        parts = printed(record["measured"]).splitlines()
        finding = nodes.line_block("", *map(self._part, parts), classes=["finding"])
        fold = [self._line("made", printed(text)) for text in record["told"]]
        if record["quote"]:
            fold += [nodes.paragraph("", f"In the words of the source: “{record['quote']}”", classes=["quoted"])]
        code = nodes.literal_block(record["how"], record["how"], language="python")
        opening, closing = _raw(f'<details class="how"><summary>{record["fold"]}</summary>\n'), _raw("</details>\n")
        inside = [*fold, code, closing]
        box += [line, opening, finding, *inside] if record.get("aside") else [line, finding, opening, *inside]
        self.state.document.note_explicit_target(box)
        return box

    def _part(self, text):
        parsed, messages = self.state.inline_text(text, self.lineno)
        return nodes.line("", "", *parsed, *messages)

    def _line(self, name, text):
        parsed, messages = self.state.inline_text(text, self.lineno)
        return nodes.paragraph("", "", *parsed, *messages, classes=[name])


def _raw(text):
    return nodes.raw("", text, format="html")


def summary(pages):
    """How many claims there are and how they came out, as MyST text."""
    counts = Counter(record["verdict"] for _, _, records in pages for record in records)
    total = sum(counts.values())
    found = [f"{counts[name]} {words[counts[name] > 1]}" for name, words in reversed(SUMMARY.items()) if counts[name]]
    return [f"The book states {total} claims. Of these, {', '.join(found)}." if total else "No page states a claim."]


def marks(record):
    """The classes of a claim's row, by which the reader's choice finds it: verdict, part, source."""
    part = Path(record["docname"]).parent.name
    return [f"verdict-{kind(record)}", f"part-{part}", f"source-{nodes.make_id(record['source'])}"]


def entries(pages):
    """All claims in the two tables of the ledger: "others" first, by verdict, then "holds", each in reading order."""
    order = list(SUMMARY)
    found = [one | {"title": title, "docname": docname} for title, docname, records in pages for one in records]
    found.sort(key=lambda one: order.index(one["verdict"]) if one["verdict"] in order else -1)
    return {
        "others": [one for one in found if one["verdict"] != HOLDS],
        "holds": [one for one in found if one["verdict"] == HOLDS],
    }


def table(found):
    """Some entries of the ledger as MyST text."""
    if not found:
        return ["None."]
    lines = [
        "::::{list-table}",
        ":header-rows: 1",
        ":class: ledger",
        "",
        *row("Claim", "Source", "Verdict", "Measured"),
    ]
    for one in found:
        says = one["says"].replace("[", "\\[").replace("]", "\\]")
        place = f"[[{one['title']}](/{one['docname']})]{{.page}}"
        measured = in_one_line(one["measured"])
        if one["quote"]:
            quote = re.sub(r"([\\`*_$\[\]{}<>#~^|&])", r"\\\1", one["quote"])  # signs that MyST would take for its own
            measured += f" [“{quote}”]{{.quoted}}"
        marked = f"[{one['heading']}]{{.verdict .{kind(one)}}}"
        lines += row(f"[{says}](#{anchor(one)}) {place}", cited(one), marked, measured)
    return [*lines, "::::"]


def row(*cells):
    """A row of a list-table."""
    return [f"{'* -' if not i else '  -'} {cell.replace(chr(10), ' ')}" for i, cell in enumerate(cells)]


def choices(pages, parts, people):
    """What the reader may choose by: label to (class of a row, words), of what there is. `parts`, `people`: words."""
    found = [one for some in entries(pages).values() for one in some]
    there = {Path(one["docname"]).parent.name for one in found}
    reading = dict.fromkeys(Path(docname).parent.name for _, docname, _ in pages)
    sources = {marks(one)[2]: people.get(one["source"], "this course") for one in found}
    return {
        "Verdict": {marks(one)[0]: one["verdict"] for one in found},
        "Part": {f"part-{name}": parts.get(name, name) for name in reading if name in there},
        "Source": dict(sorted(sources.items(), key=lambda pair: pair[1].casefold())),
    }


class Ledger(SphinxDirective):
    """`{ledger} summary`, `choice`, `others` or `holds`: the book's claims, filled from the committed pages."""

    required_arguments = 1

    def run(self):
        """The asked part of the ledger; rows bear the marks that the reader's choice finds them by."""
        site_map, pages = self.config.external_site_map, []
        for page in course.chapters(self.env.srcdir, site_map):
            path = Path(self.env.srcdir) / f"{page.docname}.ipynb"
            self.env.note_dependency(str(path))
            pages.append((page.title, page.docname, list(source.claims(source.read(path)))))
        if self.arguments[0] == "summary":
            return parse(self, summary(pages))
        if self.arguments[0] == "choice":
            parts = {Path(name).parent.name: caption for caption, names in course.parts(site_map) for name in names}
            people = {key: f"{names} {year}" for key, (names, year, _) in plain.works().items()}
            found = {"choices": choices(pages, parts, people)}
            return [_raw(self.env.app.builder.templates.render("filters.html", found))]
        found = entries(pages)[self.arguments[0]]
        with markup.spoken(self.state):
            shown = parse(self, table(found))
        drawn = [line for node in shown for body in node.findall(nodes.tbody) for line in body]
        for line, entry in zip(drawn, found, strict=True):
            line["classes"] += marks(entry)
        return shown


def parse(directive, lines):
    """MyST lines as nodes, headings included."""
    box = nodes.section(document=directive.state.document)
    directive.state.nested_parse(StringList(lines, source=directive.env.docname), 0, box, match_titles=True)
    return box.children


def setup(app):
    """Register the directives."""
    app.add_directive("attend-claim", Claim)
    app.add_directive("ledger", Ledger)
