"""A notebook as the site reads it: its live views and claims become directives that the site knows how to draw.

Nothing is executed. A saved widget that the site cannot mount is refused by page and model, since it would leave a
blank place on the page and no message.
"""

import copy
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

from attend_book import Refused, notebook, widgets
from attend_book.site import markup

FENCE = "`" * 12
FIGURES = "attend.live."
HIDDEN = "hide-output"
SILENT_TAGS = {"remove-cell", "remove_cell", "remove-output", "remove_output"}


@dataclass(frozen=True)
class View:
    """One live figure of a page: `key` is its name on the whole site, `name` the figure's, `state` its saved traits."""

    key: str
    name: str
    state: dict
    buffers: tuple

    @property
    def alt(self):
        """What a reader who cannot see the figure should know."""
        return self.state.get("alt", "")

    def saved(self):
        """State and buffers (base64, by trait) as one JSON text with a fixed order."""
        buffers = {"/".join(map(str, buffer["path"])): buffer["data"].strip() for buffer in self.buffers}
        state = {key: value for key, value in self.state.items() if not key.startswith("_")}
        return json.dumps({"state": state, "buffers": buffers}, ensure_ascii=False, sort_keys=True)


def read(path):
    """The page at `path`, its prose from its text and its outputs from its notebook; None for one of prose alone."""
    if (path := Path(path)).suffix != ".ipynb":
        return None
    return copy.deepcopy(_as_it_stands(path, *(file.stat().st_mtime_ns for file in _files(path))))


def _files(path):
    return [file for file in (path.with_suffix(".md"), path) if file.exists()]


@cache
def _as_it_stands(path, *_changed):
    """One build asks for the same page five times: for itself, its links, its figures, its claims, the course."""
    return notebook.read(path)


def short(docname):
    """A page's name inside file names and ids: `chapters/memory/coin` gives `memory-coin`."""
    return docname.removeprefix("chapters/").replace("/", "-")


def views(nb, docname):
    """The live figures of a notebook in page order; one that the site, without a kernel, cannot mount is refused."""
    models, found = widgets.models(nb), []
    for output in shown_outputs(nb):
        if view := output.get("data", {}).get(widgets.VIEW):
            model, where = models.get(view["model_id"]), f"{docname}: widget {view['model_id']}"
            if model is None:
                raise Refused(f"{where} has no saved state: run the page again")
            state = model.get("state", {})
            address = state.get("_anywidget_id", "")
            if model.get("model_module") != "anywidget" or not address.startswith(FIGURES):
                kind = f"{model.get('model_module')}.{model.get('model_name')}"
                what = f"is a {kind} ({address or 'no live figure'})"
                raise Refused(f"{where} {what}; the site mounts live figures of attend.live only")
            name = address.removeprefix(FIGURES).split(".")[0]
            key = f"{short(docname)}-{len(found) + 1}-{name}"
            found.append(View(key, name, dict(state), tuple(model.get("buffers", ()))))
    return found


def shown_outputs(nb):
    """The outputs that a page shows, in order."""
    for cell in nb.cells:
        if not SILENT_TAGS & set(cell.metadata.get("tags", ())):
            yield from cell.get("outputs", ())


def claims(nb):
    """The claims that a notebook displayed, as records, in page order."""
    return (dict(record) for output in shown_outputs(nb) if (record := claim_of(output)))


def claim_of(output):
    """The record of the claim that an output displays, or None."""
    return output.get("metadata", {}).get("attend", {}).get("claim")


def prepare(nb, docname):
    """The page for the site: views and claims as directives, sized pictures, no widget state.

    A claim whose cell hides its output keeps its numbers folded, as in the notebook; its sentence stays in sight.
    """
    shown, placed = iter(views(nb, docname)), []
    for line, cell in zip(nb.metadata["source_map"], nb.cells, strict=True):
        placed.append((line, cell))
        if cell.cell_type != "code" or SILENT_TAGS & set(cell.metadata.get("tags", ())):
            continue
        kept = []
        for output in cell.outputs:
            if widgets.VIEW in output.get("data", {}):
                placed.append((line, _directive("attend-live", {"key": next(shown).key})))
            elif record := claim_of(output):
                aside = HIDDEN in cell.metadata.get("tags", ())
                placed.append((line, _directive("attend-claim", dict(record) | ({"aside": True} if aside else {}))))
            else:
                _check(output, f"{docname}, line {line + 1}")
                kept.append(output)
                _size(cell, output)
        cell.outputs = kept
    nb.cells = [cell for _, cell in placed]
    nb.metadata["source_map"] = [line for line, _ in placed]
    nb.metadata.pop("widgets", None)
    nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return nb


def _directive(name, content):
    text = json.dumps(dict(content), ensure_ascii=False)
    return nbformat.v4.new_markdown_cell(f"{FENCE}{{{name}}}\n{text}\n{FENCE}")


def _check(output, where):
    """Refuse an output whose HTML or drawing holds what no page may."""
    for kind in ("text/html", "image/svg+xml"):
        if found := markup.faults(output.get("data", {}).get(kind, "")):
            raise Refused(f"{where}: an output may not hold {'; '.join(found)}")


def _size(cell, output):
    """Hand a picture's own width, height and alt text to the cell, from where the page takes them."""
    own = output.get("metadata", {}).get("image/png", {})
    for option, unit in (("width", "px"), ("height", "px"), ("alt", "")):
        if own.get(option):
            image = cell.metadata.setdefault("mystnb", {}).setdefault("image", {})
            image.setdefault(option, f"{own[option]}{unit}")
