"""Every work of the bibliography says where it can be had. Whether its links lead there, `make links` asks."""

import re

import pytest
import validators
from pybtex.database import parse_file
from tests.house.course import nothing

from attend_book import ROOT

DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
ARXIV = re.compile(r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}")


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


def test_numbers_of_the_bibliography():
    entries = parse_file(str(ROOT / "book" / "references.bib")).entries
    lost = (key for key, entry in entries.items() if not reached(entry.fields))
    nothing(f"references.bib: {key} must have a doi or a url" for key in lost)
    nothing(said for key, entry in entries.items() for said in numbers(f"references.bib: {key}", entry.fields))


BAD = [
    {"doi": "doi:10.1000/x"},
    {"doi": "10.1000/x y"},
    {"eprint": "1413.0001"},
    {"journal": "arXiv:14.3"},
    {"url": "www.a.org"},
]


@pytest.mark.parametrize("fields", BAD, ids=str)
def test_a_wrong_number_is_named(fields):
    (said,) = numbers("a work", fields)
    assert next(iter(fields.values())).removeprefix("arXiv:") in said
    assert reached({"doi": "10.1000/x"})
    assert not reached({"eprint": "1706.03762"})
