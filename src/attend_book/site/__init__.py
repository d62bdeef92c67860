"""The site: a Sphinx extension that draws the book in its own quiet theme, from the committed, executed pages."""

import json
import logging as standard
import re
from pathlib import Path

from sphinx.errors import ExtensionError
from sphinx.util import logging

from attend_book import OPEN, Refused, notebook
from attend_book.site import (
    builder,
    citing,
    claims,
    diagrams,
    finish,
    head,
    live,
    maps,
    maths,
    source,
    speed,
    terms,
    writer,
)

LOG = logging.getLogger(__name__)
THEME = Path(__file__).with_name("theme")


def read_notebook(app, docname, content):
    """A page comes in as its notebook and goes on as its text, with directives in the place of views and claims."""
    path = app.env.doc2path(docname)
    if (nb := source.read(path)) is None:
        return
    text = Path(path).with_suffix(".md")
    app.env.note_dependency(text)
    if OPEN in text.read_text(encoding="utf-8"):
        LOG.warning("this page is not written yet: it says %s", OPEN, location=docname)
    for number in notebook.not_run(nb):
        line = nb.metadata["source_map"][number - 1]
        LOG.warning("the notebook of this page did not run this cell: make pages", location=(docname, line + 1))
    try:
        app.env.temp_data["attend_views"] = {view.key: view for view in source.views(nb, docname)}
        content[0] = json.dumps(source.prepare(nb, docname))
    except Refused as refused:
        raise ExtensionError(str(refused)) from refused


def start(app, env, _added, _changed, _removed):
    """Give the environment its store of live figures."""
    if not hasattr(env, "attend_live"):
        env.attend_live = {}
    return []


def close(app):
    """No directive of a page (`raw`, `include`, `csv-table`) may bring in a file of the machine that builds."""
    app.env.settings["file_insertion_enabled"] = False


def named(record):
    """A warning's place on a page with code is the line of its text; Sphinx knows it by the notebook's name."""
    if isinstance(getattr(record, "location", None), str):
        record.location = re.sub(r"\.ipynb:(?=\d+$)", ".md:", record.location)
    return True


def finished(app, exception):
    """Write what the pages need besides HTML, and look the whole site over."""
    if exception is None and app.builder.format == "html":
        live.write(app)
        finish.finish(app)


def setup(app):
    """Register the theme and every part of the extension."""
    app.add_html_theme("attend", str(THEME))
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it for an extension that we do not load
    for part in (builder, citing, claims, diagrams, head, live, maps, maths, speed, terms, writer):
        part.setup(app)
    for handler in standard.getLogger("sphinx").handlers:
        handler.addFilter(named)
    app.connect("builder-inited", close)
    app.connect("source-read", read_notebook)
    app.connect("env-get-outdated", start)
    app.connect("build-finished", finished)
    return {"version": "1", "env_version": 1, "parallel_read_safe": False, "parallel_write_safe": False}
