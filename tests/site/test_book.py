"""The pages as one book: each leads to the next, map and ledger leave nothing out, notebooks can be had."""

import re
from functools import cache

import nbformat
import pytest
import yaml
from lxml import html
from tests.site import built

CONTENTS = yaml.safe_load((built.ROOT / "_toc.yml").read_text(encoding="utf-8"))
ORDER = ["index", *(chapter["file"] for part in CONTENTS["parts"] for chapter in part["chapters"])]
FRONT = ("index", CONTENTS["root"])
TIMES = re.compile(r"\d+ min, runs in \d+ (?:s|min)")
each_notebook = pytest.mark.parametrize("path", built.notebooks() or ["chapters/memory/coin.html"])


@cache
def tree(path):
    """A built page, parsed."""
    return html.parse(str(built.SITE / path), html.HTMLParser(encoding="utf-8")).getroot()


def leads(path, rel):
    """Where the link to the page before (prev) or after (next) leads, as a name of the contents; None without one."""
    links = tree(path).xpath(f"//nav[@class='neighbours']//a[@rel='{rel}']/@href")
    assert len(links) < 2, links
    names = [built.target(path, link)[0].relative_to(built.SITE).with_suffix("").as_posix() for link in links]
    return next(("index" if name in FRONT else name for name in names), None)


@cache
def claims(path):
    """The claims of an executed page, as its committed outputs record them."""
    nb = nbformat.read((built.ROOT / path).with_suffix(".ipynb"), as_version=4)
    outputs = [output for cell in nb.cells for output in cell.get("outputs", ())]
    return [found for output in outputs if (found := output.get("metadata", {}).get("attend", {}).get("claim"))]


def test_every_page_leads_to_the_next_and_back():
    assert [leads(f"{name}.html", "next") for name in ORDER] == [*ORDER[1:], None]
    assert [leads(f"{name}.html", "prev") for name in ORDER] == [None, *ORDER[:-1]]


def test_every_page_has_the_whole_contents_beside_it():
    for name in ORDER:
        path = f"{name}.html"
        links = tree(path).xpath("//nav[@id='contents']//a[not(starts-with(@href, '#'))]/@href")
        listed = [built.target(path, link)[0].relative_to(built.SITE).with_suffix("").as_posix() for link in links]
        assert [one for one in listed if one != name] == [one for one in ORDER[1:] if one != name], name


def test_the_map_names_every_executable_page_with_times_question_and_systems():
    entries = tree("index.html").xpath("//div[contains(@class, 'map')]//dt")
    assert [f"{entry.xpath('.//a/@href')[0]}" for entry in entries] == [
        f"{name}.html" for name in ORDER if f"{name}.html" in built.notebooks()
    ]
    for entry in entries:
        assert TIMES.fullmatch(entry.xpath("string(.//*[@class='times'])").replace("\u00a0", " "))
        question, systems = entry.getnext().text_content(), entry.getnext().xpath("string(.//*[@class='systems'])")
        assert systems
        assert question.strip().removesuffix(systems).strip().endswith("?")


@each_notebook
def test_a_page_can_be_taken_home_as_it_is_committed(path):
    (link,) = tree(path).xpath("//a[@download]/@href")
    file = built.target(path, link)[0]
    assert file.read_bytes() == (built.ROOT / path).with_suffix(".ipynb").read_bytes()
    nbformat.validate(nbformat.read(file, as_version=4))


@each_notebook
def test_the_ledger_lists_every_claim_of_a_page_with_its_verdict(path):
    ledger = "book/ledger.html"
    rows = {}
    for row in tree(ledger).xpath("//table[contains(@class, 'ledger')]/tbody/tr"):
        link, _ = row.xpath("./td[1]//a/@href")  # the claim, and its page
        file, anchor = built.target(ledger, link)
        if file == built.SITE / path:
            rows[anchor] = row.xpath("string(.//*[contains(@class, 'verdict')])")
    stated = {f"claim-{record['id']}": record["verdict"] for record in claims(path)}
    assert stated, "a page without a claim"
    assert rows.keys() == stated.keys()
    wrong = {name: said for name, said in rows.items() if not said.strip().startswith(stated[name])}
    assert not wrong, wrong


def test_the_ledger_counts_what_it_lists():
    said = " ".join(tree("book/ledger.html").xpath("string(//main)").split())
    total = sum(len(claims(path)) for path in built.notebooks())
    assert f"The book states {total} claims" in said
