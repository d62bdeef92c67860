"""Sitemap and feed as text, and the picture for links, which is older than its card or not."""

from xml.etree import ElementTree

from PIL import Image

from attend_book.site import announce, preview
from attend_book.site.course import Page

COIN = Page("memory/coin", "Heads & tails", "Why?", "All of it.", 3, 5, True)
CITATION = {"date-released": "2026-01-02", "title": "Book", "abstract": "Two\n  lines.", "authors": [{"name": "We"}]}


def test_a_sitemap_lists_its_addresses():
    text = ElementTree.tostring(announce.sitemap(["https://b.test/", "https://b.test/a&b.html"]), encoding="unicode")
    assert text.count("<loc>") == 2
    assert "https://b.test/a&amp;b.html" in text


def test_a_feed_says_what_atom_asks_for():
    feed = announce.feed("https://b.test/", CITATION, [(COIN, "https://b.test/memory/coin.html")])
    said = {child.tag: child.text for child in feed.find("entry")}
    assert said["title"] == "Heads & tails"
    assert said["id"] == "https://b.test/memory/coin.html"
    assert said["updated"] == feed.findtext("updated") == "2026-01-02T00:00:00Z"
    assert feed.findtext("subtitle") == "Two lines."
    assert feed.find("link").get("href") == "https://b.test/feed.xml"


def test_the_picture_for_links_shows_its_card():
    with Image.open(preview.PICTURE) as picture:
        assert picture.size == (preview.WIDTH, preview.HEIGHT)
    assert preview.fresh(), "the card changed: run `make stills`"


def test_a_picture_of_another_card_is_found_out(monkeypatch):
    monkeypatch.setattr(preview, "SAYS", "Something else.")
    assert not preview.fresh()
