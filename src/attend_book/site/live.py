"""Live figures without a kernel: a still picture, the figure's saved state, and one script for each figure.

A page carries only the still and the key of its state; script and state are files that the reader's browser fetches
when the figure comes near.
"""

import hashlib
import html
import json
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from attend.live import linker
from attend_book import ROOT
from attend_book.site import source

LOG = logging.getLogger(__name__)
STILLS = Path(__file__).resolve().parents[3] / "book" / "_assets" / "stills"
MANIFEST = STILLS / "manifest.json"
FOLDER = "_static/live"


class live_figure(nodes.General, nodes.Element):  # noqa: N801
    """The place of one live figure on a page."""


def digest(view):
    """What a figure's still depends on: its script, the kit, its state, and the colours and faces of the site."""
    tokens = (ROOT / "book" / "_assets" / "css" / "10-tokens.css").read_text(encoding="utf-8")
    text = "\0".join((linker.bundle(view.name), linker.style(), linker.own_style(view.name), tokens, view.saved()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def manifest():
    """What is known of each still: {key: {digest, width, height, tall: {viewport: height}}}."""
    return json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.is_file() else {}


def stale(view, known=None):
    """Why the still of a view cannot be trusted, in words, or "" when it can."""
    entry = (manifest() if known is None else known).get(view.key)
    if entry is None or not (STILLS / f"{view.key}.webp").is_file():
        return f"live figure {view.key} has no still picture: run `make stills`"
    if entry["digest"] != digest(view):
        return f"the still picture of live figure {view.key} is older than the figure: run `make stills`"
    return ""


class Here(SphinxDirective):
    """The live figure that a cell of this page showed; put here by `source.prepare`."""

    has_content = True

    def run(self):
        """One node for the view whose key stands in the content."""
        key = json.loads("\n".join(self.content))["key"]
        return [place(self.env, self.env.temp_data["attend_views"][key])]


class Elsewhere(SphinxDirective):
    """`{live} chapters/memory/coin coin`: a live figure of an executed page, shown on this page as well."""

    required_arguments = 2

    def run(self):
        """One node for the first view of that name on that page."""
        docname, name = self.arguments
        path = Path(self.env.srcdir) / f"{docname}.ipynb"
        shown = source.views(source.read(path), docname) if path.is_file() else []
        found = [view for view in shown if view.name == name]
        if not found:
            raise self.error(f"live: got {docname!r} {name!r}, expected an executed page and a figure that it shows")
        self.env.note_dependency(str(path))
        return [place(self.env, found[0])]


def place(env, view):
    """The node of a view; its state is kept until the build writes it."""
    known = manifest()
    if why := stale(view, known):
        LOG.warning(why, location=env.docname)
    env.attend_live.setdefault(env.docname, {})[view.key] = view
    entry = known.get(view.key, {})
    return live_figure(key=view.key, name=view.name, alt=view.alt, entry=entry)


def visit_live(self, node):
    """The place of a figure: its still, which the live figure replaces, and room for it."""
    root = self.builder.imgpath.removesuffix("_images")
    key, entry, alt = node["key"], node["entry"], html.escape(node["alt"])
    room = "".join(f"--tall-{width}:{height}px;" for width, height in sorted(entry.get("tall", {}).items()))
    style = f' style="{room}"' if room else ""
    self.body.append(f'<div class="attend-live" data-live="{node["name"]}" data-key="{key}"{style}>')
    if entry and (STILLS / f"{key}.webp").is_file():
        self.body.append(
            f'<img class="still" src="{root}{FOLDER}/{key}.webp" width="{entry["width"]}" height="{entry["height"]}" '
            f'loading="lazy" decoding="async" alt="{alt}">'
        )
    else:
        self.body.append(f'<p class="still">{alt}</p>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def write(app):
    """Write each figure's script and state once, and the stills, below the site's _static."""
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    shown = {view.key: view for views in app.env.attend_live.values() for view in views.values()}
    for view in shown.values():
        state = f"attend.state({json.dumps(view.key)}, {view.saved()});\n"
        (folder / f"{view.key}.js").write_text(state, encoding="utf-8")
        if (still := STILLS / f"{view.key}.webp").is_file():
            (folder / still.name).write_bytes(still.read_bytes())
    names = sorted({view.name for view in shown.values()})
    for name in names:
        (folder / f"{name}.js").write_text(linker.bundle(name), encoding="utf-8")
    (folder / "kit.css").write_text(linker.style() + "".join(map(linker.own_style, names)), encoding="utf-8")


def forget(app, env, docname):
    """Forget a page's views before it is read again."""
    env.attend_live.pop(docname, None)


def setup(app):
    """Register the node and the two directives."""
    app.add_node(live_figure, html=(visit_live, None))
    app.add_directive("attend-live", Here)
    app.add_directive("live", Elsewhere)
    app.connect("env-purge-doc", forget)
