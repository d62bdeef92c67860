"""What a reader does on any page: find a word, change to dark, skip to the text, open the contents on a phone."""

import re

import bs4
import pytest
from playwright.sync_api import expect
from tests.site import built
from tests.site.conftest import until

pytestmark = pytest.mark.site

CLOSED = """Object.defineProperty(window, "localStorage",
    { get() { throw new DOMException("denied", "SecurityError"); } })"""
THEME = "document.documentElement.dataset.theme"


@pytest.fixture(scope="session")
def chapter():
    """One executable page."""
    return (built.notebooks() or ["index.html"])[0]


def prose(path):
    """The text of a built page below its head, without what was run on it."""
    main = bs4.BeautifulSoup((built.SITE / path).read_text(encoding="utf-8"), "lxml").find("main")
    for element in main.select(".cell, .katex-mathml, svg, h1, .under-title"):
        element.decompose()
    return main.get_text()


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_theme_follows_the_system_until_the_reader_chooses(opened, address, chapter, system):
    other = {"light": "dark", "dark": "light"}[system]
    page = opened(color_scheme=system)
    page.goto(address + chapter)
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(THEME) == system
    before = page.evaluate(paper)
    page.locator("button#mode").press("Enter")
    assert page.evaluate(THEME) == other
    until(page, f"{paper} !== {before!r}")
    page.goto(address + "index.html")
    assert page.evaluate(THEME) == other, "the choice is forgotten on the next page"


@pytest.mark.parametrize("how", ["served", "disk"])
def test_search_finds_a_word_of_a_page(opened, address, how):
    page = opened()
    root = address if how == "served" else f"{built.SITE.as_uri()}/"
    page.goto(root + "index.html")
    page.get_by_role("searchbox", name="Search the book").first.fill("summary")
    page.keyboard.press("Enter")
    results = page.locator("#search-results a")
    expect(results.first).to_be_visible()
    results.first.click()
    expect(page.locator("main h1")).to_be_visible()
    assert "summary" in page.locator("main").inner_text().lower()


def test_search_finds_a_word_where_the_browser_may_store_nothing(opened, address):
    page = opened()
    page.add_init_script(CLOSED)
    page.goto(f"{address}search.html?q=memory")
    expect(page.locator("#search-results a").first).to_be_visible()


@pytest.mark.parametrize("word", ["constructor", "__proto__", "hasOwnProperty"])
def test_a_word_that_every_object_knows_is_a_word_like_any_other(opened, address, word):
    page = opened()
    page.goto(f"{address}search.html?q={word}")
    expect(page.locator("#search-results h2")).to_be_visible()
    expect(page.locator("#search-results .search-summary")).not_to_have_text("")
    page.locator("#find").fill("memory")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results a").first).to_be_visible()


@pytest.mark.nightly
def test_an_excerpt_of_the_search_is_prose(opened, address):
    page = opened()
    page.goto(f"{address}search.html?q=memory")
    expect(page.locator("#search-results p.context").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    found = page.locator("#search-results li:has(p.context)").evaluate_all(
        "all => all.map(one => [new URL(one.querySelector('a').href).pathname, one.lastElementChild.innerText])"
    )
    assert len(found) > 10
    assert [text for _, text in found if "memor" not in text.lower() or re.search(r"\\[a-z]+", text)] == []
    code = {path.removeprefix("/attend/") for path, text in found if re.search(r"\b(import|def|plt)\b", text)}
    assert [path for path in code if re.search("memor", prose(path), re.I)] == []


@pytest.mark.nightly
def test_a_word_that_stands_in_code_alone_is_shown_in_its_code(opened, address):
    page = opened()
    page.goto(f"{address}search.html?q=torch.no_grad")
    excerpts = page.locator("#search-results p.context")
    expect(excerpts.first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert any("no_grad()" in text for text in excerpts.all_inner_texts())


def test_search_finds_every_page_by_the_words_of_its_title(opened, address):
    page, missed = opened(), []
    page.goto(f"{address}search.html")
    for path in built.notebooks():
        title = built.markup(path).texts["h1"][0].strip().removesuffix("#")
        found = page.evaluate(
            "words => Search._performSearch(...Search._parseQuery(words)).map(([name]) => name)", title
        )
        missed += [] if path.removesuffix(".html") in found else [(path, title, found)]
    assert not missed, missed


def test_the_first_key_skips_to_the_text(opened, address, chapter):
    page = opened()
    page.goto(address + chapter)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.parametrize("width", [1280, 360])
def test_the_contents_begin_where_the_reader_is(opened, address, width):
    page = opened(viewport={"width": width, "height": 740})
    page.goto(address + built.notebooks()[-1])
    if width < 1280:
        page.get_by_role("button", name="Contents").click()
    expect(page.locator("nav#contents [aria-current]")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_the_contents_open_on_a_phone(opened, address, chapter):
    page = opened(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(address + chapter)
    page.get_by_role("button", name="Contents").tap()
    link = page.locator("nav#contents").get_by_role("link", name="Notation")
    expect(link).to_be_visible()
    link.tap()
    expect(page.locator("main h1")).to_contain_text("Notation")
