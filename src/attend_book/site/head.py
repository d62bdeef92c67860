"""What stands around a page's text: contents list, times, launch links, neighbours, description."""

import re
import shutil
from pathlib import Path

from attend_book.site import announce, course

# What Sphinx and its extensions write and a reader who hears the page would stumble over: a label that hides the
# words of a fold, a list without items, a role that its element may not have.
STUMBLES = re.compile(r' aria-label="Toggle hidden content"| role="(?:list|doc-biblioentry|doc-backlink)"')
SECTION = re.compile(r'<li><a class="reference internal" href="(#[^"]+)">(.*?)</a>')


def context(app, pagename, templatename, context, doctree):
    """Fill the template's context for one page; the search page and the like have no doctree."""
    parts = course.parts(app.config.external_site_map)
    order = [app.config.root_doc, *(name for _, names in parts for name in names)]
    options = app.config.html_theme_options
    body = STUMBLES.sub("", context.get("body") or "")

    def entry(docname):
        page = course.page(app.srcdir, docname)
        link = app.builder.get_relative_uri(pagename, docname)
        return {"title": page.title, "question": page.question, "link": link, "here": docname == pagename}

    book = {
        "parts": [(caption, [entry(docname) for docname in names]) for caption, names in parts],
        "repository": options.get("repository_url", ""),
        "root": app.config.root_doc,
        "base": app.config.html_baseurl,
        "live": 'class="attend-live' in body,
        "filters": '<form class="filters"' in body,
    }
    context |= {"book": book, "body": body}
    if pagename not in app.env.found_docs:
        return
    page = course.page(app.srcdir, pagename)
    at = order.index(pagename) if pagename in order else len(order)
    book |= {
        "page": page,
        "sections": SECTION.findall(context.get("toc") or ""),
        "slug": options.get("repository_url", "").removeprefix("https://github.com/"),
        "branch": options.get("repository_branch", "main"),
        "buttons": options.get("launch_buttons", {}),
        "previous": entry(order[at - 1]) if 0 < at < len(order) else None,
        "next": entry(order[at + 1]) if at + 1 < len(order) else None,
        "run_time": course.run_time(page.seconds) if page.seconds else "",
    }
    context["title"] = page.title
    context["pageurl"] = announce.address(app, pagename)
    if page.notebook:
        under = app.builder.templates.render("under-title.html", context)
        context["body"] = body.replace("</h1>", f"</h1>\n{under}", 1)


def notebooks(app):
    """Copy every executable page to where its download link points."""
    for page in course.chapters(app.srcdir, app.config.external_site_map):
        target = Path(app.outdir) / f"{page.docname}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / f"{page.docname}.ipynb", target)


def setup(app):
    """Fill every page's context."""
    app.connect("html-page-context", context)
