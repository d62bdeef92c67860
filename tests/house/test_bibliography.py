"""Every key of the bibliography is used on some page, every citation is defined, every claim has a source."""

import re

from tests.house.course import PAGES, nothing, page_name, read

from attend_book import ROOT
from attend_book.plain import works
from attend_book.site.source import claims

CITATION = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)\s*,", re.M)
OURS = "ours"


def cited(text):
    """The keys that a text cites."""
    return {key.strip() for keys in CITATION.findall(text) for key in keys.split(",")}


def prose_of(nb):
    """The markdown of a page as one text."""
    return "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")


def compare(entries, uses):
    """Entries without use and uses without entry; `uses` are keys by page."""
    used = set().union(*uses.values())
    unused = [f"references.bib: {key} is cited on no page" for key in sorted(set(entries) - used)]
    double = sorted({key for key in entries if entries.count(key) > 1})
    unknown = [(name, key) for name in uses for key in sorted(uses[name] - set(entries))]
    return [
        *unused,
        *(f"references.bib: {key} stands there twice" for key in double),
        *(f"{name}: {key} is not in references.bib" for name, key in unknown),
    ]


def entries():
    """The keys of the bibliography, as often as they stand there."""
    return ENTRY.findall((ROOT / "book" / "references.bib").read_text(encoding="utf-8"))


def test_bibliography():
    uses = {page_name(path): cited(prose_of(read(path))) for path in PAGES}
    uses |= {f"book/{path.name}": cited(path.read_text(encoding="utf-8")) for path in (ROOT / "book").glob("*.md")}
    nothing(compare(entries(), uses))


def alike(told):
    """Works that a reader could not tell apart: `told` are (names, year) by key."""
    keys = {}
    for key, words in told.items():
        keys.setdefault(words, []).append(key)
    return [
        f"references.bib: {' and '.join(same)} are both {' '.join(words)}" for words, same in keys.items() if same[1:]
    ]


def test_no_two_works_are_cited_by_the_same_words():
    nothing(alike({key: (names, year) for key, (names, year, _) in works().items()}))
    assert alike({"a": ("Doe", "2019"), "b": ("Doe", "2019"), "c": ("Doe", "2019a")}) == [
        "references.bib: a and b are both Doe 2019"
    ]


def test_sources_and_names_of_claims():
    keys, seen, wrong = {*entries(), OURS}, {}, []
    for path in PAGES:
        for claim in claims(read(path)):
            if claim["source"] not in keys:
                wrong.append(f"{page_name(path)}: claim {claim['id']} names the source {claim['source']}")
            if claim["id"].split(".")[0] != path.stem:
                wrong.append(f"{page_name(path)}: claim {claim['id']} should begin with {path.stem}.")
            if claim["id"] in seen:
                wrong.append(f"{page_name(path)}: claim {claim['id']} is on {seen[claim['id']]} already")
            seen[claim["id"]] = page_name(path)
    nothing(wrong)
