"""What stands around a page's text: contents list, times, launch links, neighbours, description."""

import html
import re
import shutil
from pathlib import Path

from attend_book.site import announce, course, preview

STYLES = "attend.css"
# What Sphinx and its extensions write and a reader who hears the page would stumble over: a label that hides the
# words of a fold, a list without items, a role that its element may not have.
STUMBLES = re.compile(r' aria-label="Toggle hidden content"| role="(?:list|doc-biblioentry|doc-backlink)"')
AFTER_TITLE = re.compile(r"</h1>")


def context(app, pagename, templatename, context, doctree):
    """Fill the template's context for one page; the search page and the like have no doctree."""
    known = app.env.found_docs
    page = course.page(app.srcdir, pagename) if pagename in known else None
    options = app.config.html_theme_options
    context["book"] = {
        "parts": _contents(app, pagename),
        "page": page,
        "repository": options.get("repository_url", ""),
        "root": app.config.root_doc,
        "feed": announce.FEED,
        "picture": f"{app.config.html_baseurl}{announce.PICTURE}",
        "preview": preview,
    }
    body = context.get("body") or ""
    context["book"]["live"] = 'class="attend-live' in body
    context["book"]["filters"] = '<form class="filters"' in body
    if page is None:
        return
    context["book"] |= {
        "sections": sections(context.get("toc") or ""),
        "launch": launch(options, pagename) if page.notebook else [],
        "previous": _neighbour(app, pagename, -1),
        "next": _neighbour(app, pagename, 1),
        "run_time": course.run_time(page.seconds) if page.seconds else "",
    }
    context["metatags"] = re.sub(r'\s*<meta content="[^"]*" name="description" />', "", context.get("metatags", ""))
    context["title"] = page.title
    context["pageurl"] = announce.address(app, pagename)
    context["body"] = body = STUMBLES.sub("", body)
    if page.notebook:
        context["body"] = _under_title(app, context, body)


def _under_title(app, context, body):
    """The body with the page's times and launch links under its title."""
    template = app.builder.templates.render("under-title.html", context)
    return AFTER_TITLE.sub(lambda found: f"</h1>\n{template}", body, count=1)


def _order(app):
    return [app.config.root_doc, *(name for _, names in course.parts(app.config.external_site_map) for name in names)]


def _neighbour(app, pagename, step):
    order = _order(app)
    if pagename not in order or not 0 <= (place := order.index(pagename) + step) < len(order):
        return None
    page = course.page(app.srcdir, order[place])
    link = app.builder.get_relative_uri(pagename, page.docname)
    return {"link": link, "title": page.title, "question": page.question}


def _contents(app, pagename):
    """The contents list: (caption, entries) for every part."""
    found = []
    for caption, docnames in course.parts(app.config.external_site_map):
        entries = []
        for docname in docnames:
            entries.append(
                {
                    "title": course.page(app.srcdir, docname).title,
                    "link": app.builder.get_relative_uri(pagename, docname),
                    "here": docname == pagename,
                }
            )
        found.append((caption, entries))
    return found


def sections(toc):
    """The page's second-level headings: (link, title in HTML)."""
    return re.findall(r'<li><a class="reference internal" href="(#[^"]+)">(.*?)</a>', toc)


def launch(options, pagename):
    """(name, address, what it does) for Binder and Colab."""
    buttons, branch = options.get("launch_buttons", {}), options.get("repository_branch", "main")
    place = options.get("repository_url", "").removeprefix("https://github.com/").strip("/")
    path, found = f"{pagename}.ipynb", []
    if place and buttons.get("binderhub_url"):
        address = f"{buttons['binderhub_url'].rstrip('/')}/v2/gh/{place}/{branch}?urlpath=lab/tree/{path}"
        found.append(("Binder", address, "Run this page on Binder, in your browser, without an account"))
    if place and buttons.get("colab_url"):
        address = f"{buttons['colab_url'].rstrip('/')}/github/{place}/blob/{branch}/{path}"
        found.append(("Colab", address, "Run this page on Google Colab"))
    return found


def notebooks(app):
    """Copy every executable page to where its download link points."""
    for page in course.chapters(app.srcdir, app.config.external_site_map):
        target = Path(app.outdir) / f"{page.docname}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / f"{page.docname}.ipynb", target)


def plain(text):
    """A title in Markdown as plain text for attributes."""
    return html.escape(re.sub(r"[`*$]", "", text))


def setup(app):
    """Fill every page's context."""
    app.connect("html-page-context", context)
