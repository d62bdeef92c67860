"""What the site tells machines of itself: sitemap.xml, an Atom feed, robots.txt, and the picture for links to it.

The feed's dates are the day of the release (CITATION.cff): so every build writes the same bytes.
"""

import shutil
from pathlib import Path
from xml.etree import ElementTree

import yaml

from attend_book import ROOT
from attend_book.site import course, preview

CITATION = ROOT / "CITATION.cff"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
ATOM = "http://www.w3.org/2005/Atom"
FEED, PICTURE = "feed.xml", f"_static/{preview.PICTURE.name}"


def address(app, pagename):
    """The one address of a page; the front page's is the site's own."""
    base = app.config.html_baseurl
    return base if pagename == app.config.root_doc else f"{base}{pagename}.html"


def write(app):
    """Write all four into the built site."""
    out, site_map = Path(app.outdir), app.config.external_site_map
    names = [app.config.root_doc, *(name for _, docnames in course.parts(site_map) for name in docnames)]
    pages = [(page, address(app, page.docname)) for page in course.chapters(app.srcdir, site_map)]
    _save(sitemap([address(app, name) for name in names]), out / "sitemap.xml")
    citation = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    _save(feed(app.config.html_baseurl, citation, pages), out / FEED)
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {app.config.html_baseurl}sitemap.xml\n"
    (out / "robots.txt").write_text(robots, encoding="utf-8")
    shutil.copyfile(preview.PICTURE, out / PICTURE)


def sitemap(addresses):
    """The sitemap of these pages."""
    root = ElementTree.Element("urlset", xmlns=SITEMAP)
    for where in addresses:
        ElementTree.SubElement(ElementTree.SubElement(root, "url"), "loc").text = where
    return root


def feed(base, citation, pages):
    """The Atom feed of (page, address) for each executable page, in reading order."""
    when = f"{citation['date-released']}T00:00:00Z"
    root = ElementTree.Element("feed", {"xmlns": ATOM, "xml:lang": "en"})
    _say(root, title=citation["title"], subtitle=" ".join(citation["abstract"].split()), id=base, updated=when)
    _link(root, "self", f"{base}{FEED}", "application/atom+xml")
    _link(root, "alternate", base, "text/html")
    _say(ElementTree.SubElement(root, "author"), name=citation["authors"][0]["name"])
    _say(root, icon=f"{base}_static/favicon.svg", rights="Text under CC BY 4.0, code under the MIT licence.")
    for page, where in pages:
        entry = ElementTree.SubElement(root, "entry")
        _say(entry, title=page.title, id=where, published=when, updated=when, summary=page.description)
        _link(entry, "alternate", where, "text/html")
    return root


def _say(parent, **texts):
    for name, text in texts.items():
        ElementTree.SubElement(parent, name).text = text


def _link(parent, rel, href, kind):
    ElementTree.SubElement(parent, "link", rel=rel, type=kind, href=href)


def _save(root, path):
    ElementTree.indent(root)
    path.write_bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
