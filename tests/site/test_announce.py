"""What the site tells machines of itself: sitemap, feed, robots.txt, the picture for links. No browser is needed."""

import re
import struct
from xml.etree import ElementTree

import pytest
import yaml
from tests.site import built

CONFIG = yaml.safe_load((built.ROOT / "_config.yml").read_text(encoding="utf-8"))
BASE = CONFIG["html"]["baseurl"]
CONTENTS = yaml.safe_load((built.ROOT / "_toc.yml").read_text(encoding="utf-8"))
ORDER = ["index", *(chapter["file"] for part in CONTENTS["parts"] for chapter in part["chapters"])]
ATOM = "{http://www.w3.org/2005/Atom}"
each_listed = pytest.mark.parametrize("path", [f"{name}.html" for name in ORDER])


def address(path):
    """The one address of a page."""
    return BASE + ("" if path == "index.html" else path)


def read(name):
    """A file of XML, parsed."""
    return ElementTree.parse(built.SITE / name).getroot()


def open_graph(path):
    """What a page says to those who show a link to it."""
    return {a["property"]: a["content"] for a in built.markup(path).all("meta") if "property" in a}


def test_the_sitemap_names_every_page_of_the_contents_once():
    sitemap = read("sitemap.xml")
    assert sitemap.tag == "{http://www.sitemaps.org/schemas/sitemap/0.9}urlset"
    assert [where.text for where in sitemap.findall("{*}url/{*}loc")] == [address(f"{name}.html") for name in ORDER]


def test_robots_find_the_sitemap():
    robots = (built.SITE / "robots.txt").read_text(encoding="utf-8").splitlines()
    assert robots[:2] == ["User-agent: *", "Allow: /"]
    assert f"Sitemap: {BASE}sitemap.xml" in robots


@each_listed
def test_a_page_has_one_address(path):
    page = built.markup(path)
    assert (built.SITE / path).is_file()
    (canonical,) = page.all("link", rel="canonical")
    assert canonical["href"] == open_graph(path)["og:url"] == address(path)
    (feed,) = page.all("link", rel="alternate")
    assert built.target(path, feed["href"])[0] == built.SITE / "feed.xml"


@each_listed
def test_a_link_to_a_page_has_words_and_a_picture(path):
    said, page = open_graph(path), built.markup(path)
    assert said["og:title"]
    assert said["og:description"] == page.meta("description")
    assert page.meta("twitter:card") == "summary_large_image"
    assert len(said["og:image:alt"]) >= 20
    assert said["og:image"].startswith(BASE)
    picture = (built.SITE / said["og:image"].removeprefix(BASE)).read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    size = struct.unpack(">II", picture[16:24])
    assert size == (1200, 630) == (int(said["og:image:width"]), int(said["og:image:height"]))
    assert len(picture) < 100_000


def test_the_feed_has_every_executable_page_with_the_day_of_the_release():
    released = yaml.safe_load((built.ROOT / "CITATION.cff").read_text(encoding="utf-8"))["date-released"]
    feed = read("feed.xml")
    assert feed.tag == f"{ATOM}feed"
    assert feed.findtext(f"{ATOM}id") == BASE
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links == {"self": f"{BASE}feed.xml", "alternate": BASE}
    entries = feed.findall(f"{ATOM}entry")
    listed = [address(f"{name}.html") for name in ORDER if f"{name}.html" in built.notebooks()]
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == listed
    for entry in [feed, *entries]:
        assert re.fullmatch(rf"{released}T00:00:00Z", entry.findtext(f"{ATOM}updated"))
        assert entry.findtext(f"{ATOM}title").strip()
    assert all(len(entry.findtext(f"{ATOM}summary")) >= 20 for entry in entries)
    assert all(entry.find(f"{ATOM}link").get("href") == where for entry, where in zip(entries, listed, strict=True))
