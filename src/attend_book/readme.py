"""`python -m attend_book readme`: fill README's path and claims from the executed pages.

What stands between `<!-- path -->`, `<!-- claims … -->` or `<!-- exercises -->` and the next `<!-- end -->` is written
here and nowhere by hand; the marker of the claims names those that are shown.
"""

import re
from pathlib import Path

from attend_book import ROOT
from attend_book.plain import works
from attend_book.site import claims, course, source

README = ROOT / "README.md"
REGION = re.compile(r"(<!-- (path|claims|exercises)([\w. ]*) -->\n).*?(<!-- end -->)", re.DOTALL)
STUB = re.compile(r"^[`:]{3,}\{exercise-start\}", re.MULTILINE)


def main(arguments):
    """Write README.md anew."""
    old = README.read_text(encoding="utf-8")
    if (new := filled(old, ROOT)) != old:
        README.write_text(new, encoding="utf-8")
        print("README.md: written")


def filled(text, root):
    """README's text with every marked region written anew. Raises ValueError for a claim that no page makes."""
    site_map = course.contents(root)
    notebooks = {page.docname: source.read(root / f"{page.docname}.ipynb") for page in course.chapters(root, site_map)}
    writers = {
        "path": lambda _: path(root, site_map),
        "claims": lambda wanted: measured(root, notebooks, wanted.split()),
        "exercises": lambda _: [exercises(notebooks)],
    }
    return REGION.sub(lambda found: "\n".join([found[1], *writers[found[2]](found[3]), "", found[4]]), text)


def path(root, site_map):
    """The path through the course as a table: each page, its question, minutes to read, time to run."""
    lines, shown = ["| page | asks | read | run |", "|---|---|--:|--:|"], []
    for caption, docnames in course.parts(site_map):
        pages = [page for page in (course.page(root, docname) for docname in docnames) if page.notebook]
        shown += pages
        lines += [f"| **{caption}** | | | |"] if pages else []
        for page in pages:
            name = f"[{Path(page.docname).name}]({page.docname}.ipynb)"
            lines.append(f"| {name} | {page.question} | {page.minutes} min | {course.run_time(page.seconds)} |")
    hours, seconds = sum(page.minutes for page in shown) / 60, sum(page.seconds for page in shown)
    return [*lines, f"| **all {len(shown)}** | | **{hours:.0f} h** | **{seconds / 60:.0f} min** |"]


def measured(root, notebooks, wanted):
    """How all claims came out, and a table of those that are wanted, as they stand on their pages."""
    pages = [(docname, docname, list(source.claims(nb))) for docname, nb in notebooks.items()]
    known = {record["id"]: (docname, record) for _, docname, records in pages for record in records}
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"README.md: no page makes the claim {', '.join(unknown)}")
    lines = [*claims.summary(pages), "", "| claim | page | verdict | measured |", "|---|---|---|---|"]
    for docname, record in (known[name] for name in wanted):
        whose = "" if record["source"] == claims.OURS else " ({} {})".format(*works()[record["source"]][:2])
        place = f"[{Path(docname).name}]({docname}.ipynb)"
        lines.append(f"| {record['says']}{whose} | {place} | {record['heading']} | {plain(record['measured'])} |")
    return lines


def plain(text):
    """A measurement as the ledger prints it, in GitHub's Markdown."""
    return re.sub(r"\{sup\}`([^`]*)`", r"<sup>\1</sup>", claims.in_one_line(text))


def exercises(notebooks):
    """How many exercises there are, as a sentence."""
    cells = (cell.source for nb in notebooks.values() for cell in nb.cells if cell.cell_type == "markdown")
    count = sum(len(STUB.findall(text)) for text in cells)
    return f"The book has {count} exercises, at least two on every page. Each has a checker that names what is broken:"
