"""Outside links are well formed wherever a reader meets them. Whether they lead somewhere, `make links` asks."""

import re

import pytest
import validators
from markdown_it import MarkdownIt
from pybtex.database import parse_file
from tests.house.course import PAGES, nothing, page_name, read

from attend_book import ROOT

BARE = re.compile(r"https?://[^\s<>\"'`\\{}|]+[^\s<>\"'`\\{}|.,;:!?)\]*]")
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("book/*.md"), *ROOT.glob("src/**/*.md"), *ROOT.glob("tests/**/README.md")]
DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
ARXIV = re.compile(r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}")


def links(text):
    """The addresses of a Markdown text: of its links and pictures, and those that stand in it bare or in code."""
    tokens = MarkdownIt("commonmark").parse(text)
    inner = [child for token in tokens for child in token.children or ()]
    named = {str(token.attrs.get(key, "")) for token in inner for key in ("href", "src")}
    return {link for link in named if re.match(r"[a-z]+://", link)} | set(BARE.findall(text))


def wrong(where, found):
    """What is wrong with each address, in words."""
    for link in sorted(found):
        if not link.startswith("https://"):
            yield f"{where}: {link} is not https"
        elif validators.url(link) is not True:
            yield f"{where}: {link} is no address"


def numbers(where, fields):
    """What is wrong with the DOI, the arXiv number and the address of an entry of the bibliography."""
    if "doi" in fields and not DOI.fullmatch(fields["doi"]):
        yield f"{where}: {fields['doi']} is no DOI"
    if "eprint" in fields and not ARXIV.fullmatch(fields["eprint"]):
        yield f"{where}: {fields['eprint']} is no number of arXiv"
    said = " ".join(value for name, value in fields.items() if name in ("journal", "note", "howpublished"))
    for number in re.findall(r"arXiv[: ]+(?:preprint )?(?:arXiv:)?([\w./-]*\d)", said):
        if not ARXIV.fullmatch(number):
            yield f"{where}: {number} is no number of arXiv"
    yield from wrong(where, {fields["url"]} if "url" in fields else ())


def reached(fields):
    """Whether an entry of the bibliography says where the work is to be had."""
    return "doi" in fields or "url" in fields


def test_links_of_pages_and_texts():
    cells = {page_name(path): "\n\n".join(cell.source for cell in read(path).cells) for path in PAGES}
    texts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in TEXTS
        if "node_modules" not in path.parts
    }
    found = {name: links(text) for name, text in (cells | texts).items()}
    assert any(found.values())
    nothing(said for name, addresses in found.items() for said in wrong(name, addresses))


def test_numbers_of_the_bibliography():
    entries = parse_file(str(ROOT / "book" / "references.bib")).entries
    lost = (key for key, entry in entries.items() if not reached(entry.fields))
    nothing(f"references.bib: {key} must have a doi or a url" for key in lost)
    nothing(said for key, entry in entries.items() for said in numbers(f"references.bib: {key}", entry.fields))


@pytest.mark.parametrize(
    "text", ["[x](http://a.org)", "see http://a.org.", "[x](<https://a b.org>)", "![x](https://a..org)"]
)
def test_a_bad_link_is_named(text):
    assert len(list(wrong("page", links(text)))) == 1


@pytest.mark.parametrize(
    "text", ["[x](https://a.org/b_(c)?d=e#f)", "<https://a.org>.", "`https://a.org/x`, so", "[x](../y)"]
)
def test_a_good_link_is_left_alone(text):
    assert list(wrong("page", links(text))) == []


BAD = [
    {"doi": "doi:10.1000/x"},
    {"doi": "10.1000/x y"},
    {"eprint": "1413.0001"},
    {"journal": "arXiv:14.3"},
    {"url": "www.a.org"},
]


@pytest.mark.parametrize("fields", BAD, ids=str)
def test_a_bad_number_is_named(fields):
    assert len(list(numbers("key", fields))) == 1


def test_good_numbers_are_left_alone():
    good = {"doi": "10.1162/neco.1997.9.8.1735", "eprint": "cs/0309048", "journal": "arXiv preprint arXiv:1409.0473"}
    assert list(numbers("key", good)) == []
