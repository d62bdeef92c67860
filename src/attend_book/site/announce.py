"""What the site tells machines of itself: sitemap.xml, an Atom feed, robots.txt, and the picture for links to it.

The feed's dates are the day of the release (CITATION.cff): so every build writes the same bytes.
"""

import shutil
from pathlib import Path

import yaml

from attend_book import ROOT
from attend_book.site import course

PICTURE = ROOT / "book" / "_assets" / "preview.png"
FILES = ("sitemap.xml", "feed.xml", "robots.txt")


def address(app, pagename):
    """The one address of a page; the front page's is the site's own."""
    base = app.config.html_baseurl
    return base if pagename == app.config.root_doc else f"{base}{pagename}.html"


def write(app):
    """Write all four into the built site."""
    site_map = app.config.external_site_map
    names = [app.config.root_doc, *(name for _, docnames in course.parts(site_map) for name in docnames)]
    says = {
        "base": app.config.html_baseurl,
        "addresses": [address(app, name) for name in names],
        "citation": yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8")),
        "pages": [(page, address(app, page.docname)) for page in course.chapters(app.srcdir, site_map)],
    }
    for name in FILES:
        (Path(app.outdir) / name).write_text(app.builder.templates.render(name, says) + "\n", encoding="utf-8")
    shutil.copy(PICTURE, Path(app.outdir) / "_static")
