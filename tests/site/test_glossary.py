"""The glossary: every term is defined once, linked from later pages, found by the search, and never used too early.

A page may point ahead: where its first use of a term is a link to the page that teaches it, or to a later
one, the reader knows where to find out. Headings, code and equations are not running text.
"""

from functools import cache
from urllib.parse import urlsplit

import bs4
import lxml.html
import pytest
import yaml
from tests.site import built

from attend_book.site import terms

pytestmark = pytest.mark.site

GLOSSARY = terms.read(built.ROOT)
CONTENTS = yaml.safe_load((built.ROOT / "_toc.yml").read_text(encoding="utf-8"))
ORDER = [chapter["file"] for part in CONTENTS["parts"] for chapter in part["chapters"]]
CHAPTERS = [name for name in ORDER if name.startswith("chapters/")]
TAGS = ("h1", "h2", "h3", "pre", "code", "math", "script", "style", "nav", "summary")
CLASSES = ("katex", "under-title", "how")
NO_TEXT = " | ".join(
    [f".//{tag}" for tag in TAGS] + [f".//*[contains(concat(' ', @class, ' '), ' {name} ')]" for name in CLASSES]
)
each_term = pytest.mark.parametrize("term", GLOSSARY.terms, ids=lambda term: term.anchor.removeprefix("term-"))
each_page = pytest.mark.parametrize("docname", CHAPTERS)


@cache
def main(docname: str) -> bs4.Tag:
    """The text of a built page, without what is no running text."""
    found = lxml.html.parse(built.SITE / f"{docname}.html", lxml.html.HTMLParser(encoding="utf-8")).find(".//main")
    for element in found.xpath(NO_TEXT):  # most of a page is formulas: out with them before the slow part
        element.tail = f" ¶ {element.tail or ''}"
        element.drop_tree()
    return bs4.BeautifulSoup(lxml.html.tostring(found, encoding="unicode"), "lxml").find("main")


def used(docname: str):
    """(term, text node) for every use of a term on a page, in reading order."""
    for text in main(docname).find_all(string=True):
        for _, _, term in GLOSSARY.uses(text):
            yield term, text


def ahead(text, docname: str, term) -> bool:
    """Whether a text is a link to the page that teaches the term, or to one after it."""
    link = text.find_parent("a", href=True)
    if link is None or urlsplit(link["href"]).scheme:
        return False
    target, _ = built.target(f"{docname}.html", link["href"])
    name = target.relative_to(built.SITE).with_suffix("").as_posix()
    return name in ORDER and ORDER.index(name) >= ORDER.index(term.taught)


@each_page
def test_no_term_is_used_before_it_is_taught(docname):
    here, seen, early = CHAPTERS.index(docname), set(), []
    for term, text in used(docname):
        if term in seen or (term.taught == docname and text.find_previous("h2") is None):
            continue  # the opening says what the page is about, and may name it
        seen.add(term)
        defines = term.taught == docname and text.find_parent(id=term.anchor)
        if CHAPTERS.index(term.taught) >= here and not defines and not ahead(text, docname, term):
            early.append(f"{term.term}, taught in {term.taught}: … {' '.join(text.split())[:100]} …")
    assert not early, "\n".join(early)


@each_page
def test_each_term_of_an_earlier_page_is_linked_once(docname):
    links = [
        link["href"].rpartition("#")[2] for link in main(docname).select("a.term") if not link.find_parent("strong")
    ]
    assert len(links) == len(set(links))
    apart = ("a", "strong", "table", "svg", ".claim")
    running = {term for term, text in used(docname) if not any(text.find_parent(*_named(tag)) for tag in apart)}
    before = {term.anchor for term in running if CHAPTERS.index(term.taught) < CHAPTERS.index(docname)}
    assert before <= set(links), f"used and not linked: {sorted(before - set(links))}"


def test_a_title_in_the_bibliography_is_quoted_as_it_is():
    works = main("book/bibliography").select(".citation")
    assert len(works) > 50
    assert not [link["href"] for work in works for link in work.select("a.term")]


def _named(tag: str) -> tuple:
    """What finds a tag, or an element of a class, around a text."""
    return (True, tag[1:]) if tag.startswith(".") else (tag,)


@each_term
def test_a_term_leads_to_its_page_and_back(term):
    entry = main(terms.GLOSSARY).find(id=term.anchor)
    assert entry is not None, "not in the glossary"
    meaning = entry.find_next("dd")
    assert len(meaning.get_text().split()) >= 5
    place = f"{term.taught}.html#{term.anchor}"
    assert [link["href"] for link in meaning.find_all("a", href=True)][-1].endswith(place)
    bold = main(term.taught).find(id=term.anchor)
    assert bold.name == "strong"
    assert GLOSSARY.defined(bold.get_text(), term.taught) is term
    assert bold.a["href"].endswith(f"{terms.GLOSSARY}.html#{term.anchor}".rpartition("/")[2])


def test_the_glossary_is_in_the_order_of_the_alphabet():
    heads = [entry["id"] for entry in main(terms.GLOSSARY).select("dl.glossary dt")]
    assert len(heads) == len(GLOSSARY.terms)
    assert heads == sorted(heads)


def test_search_finds_every_term_within_the_page_that_teaches_it(opened, address):
    page = opened()
    page.goto(f"{address}search.html?q=summary")
    page.wait_for_selector("#search-results a")
    ask = "words => words.map(word => Search._performSearch(...Search._parseQuery(word)).map(result => result[0]))"
    found = page.evaluate(ask, [term.term for term in GLOSSARY.terms])
    lost = {t.term: pages[:5] for t, pages in zip(GLOSSARY.terms, found, strict=True) if t.taught not in pages}
    assert not lost, f"the search does not lead to the page that teaches it: {lost}"


@pytest.mark.nightly
def test_search_leads_to_the_place_of_a_term_first(opened, address):
    page = opened()
    page.goto(f"{address}search.html?q=forget+gate")
    first = page.wait_for_selector("#search-results li a")
    first.click()
    page.wait_for_url("**/chapters/gating/lstm.html#term-forget-gate")
    assert page.locator("#term-forget-gate").is_visible()
    ask = (
        "words => words.map(word => Search._performSearch(...Search._parseQuery(word)).map(r => r[0] + r[2]).reverse())"
    )
    page.goto(f"{address}search.html?q=summary")
    page.wait_for_selector("#search-results a")
    found = page.evaluate(ask, [term.term for term in GLOSSARY.terms])
    later = {
        t.term: places[:2]
        for t, places in zip(GLOSSARY.terms, found, strict=True)
        if f"{t.taught}#{t.anchor}" not in places[:2]
    }
    assert not later, f"the search does not begin with the place that defines the term: {later}"
