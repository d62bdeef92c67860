"""Pages as files: drafts in MyST text, notebooks in one normal form, their prose in Markdown that every Jupyter draws.

A page that is executed twice must come out the same to the byte. Whatever an execution leaves that differs
from run to run (cell ids, widget ids, addresses, time stamps) is replaced here by something fixed; what must
not be published (warnings, errors, paths of this machine) is refused.
"""

import copy
import os
import re
import tempfile
from pathlib import Path
from sysconfig import get_path

import jupytext
import nbformat
import yaml

from attend_book import ROOT, Refused, pictures, plain, widgets

CHAPTERS = ROOT / "chapters"

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
MEASURED = ("digest", "cells", "files", "reading_minutes", "run_seconds")
PASSING_CELL_METADATA = ("execution", "trusted", "scrolled", "collapsed", "ExecuteTime")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
LARGE_PICTURE = 60_000


def name(path):
    """The page's name as a reader of the repository writes it: `chapters/memory/coin.ipynb`."""
    path = Path(path).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def pages():
    """Every committed page, in the order of its path."""
    return sorted(p for p in CHAPTERS.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def write_whole(path, text):
    """Write a file so that a reader finds the old one or the new one and never a part."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def read(path):
    """The notebook of a page or of a draft, by the ending of the path; its prose is MyST."""
    path = Path(path)
    if not path.exists():
        raise Refused(f"{name(path)}: no such file")
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return plain.written(nbformat.reads(text, as_version=4))
    return from_draft(text)


def from_draft(text):
    """A notebook without outputs, from MyST text; front matter becomes the notebook's metadata."""
    nb = jupytext.reads(text, fmt="md:myst")
    nb.metadata.pop("jupytext", None)
    return nb


def to_draft(nb):
    """MyST text from which `from_draft` makes the same cells, tags and metadata."""
    nb = nbformat.from_dict(nb)
    front = {k: v for k, v in nb.metadata.items() if k not in ("widgets", "language_info", "jupytext")}
    own = {k: v for k, v in front.pop("attend", {}).items() if k not in MEASURED}
    front |= {"attend": own} if own else {}
    front["kernelspec"] = {"display_name": KERNEL["display_name"], "name": KERNEL["name"]}
    front["jupytext"] = {"text_representation": {"extension": ".md", "format_name": "myst"}}
    nb.metadata = nbformat.from_dict(
        {"jupytext": {"cell_metadata_filter": "all", "default_lexer": "python"}, "kernelspec": dict(KERNEL)}
    )
    body = re.sub(r"\A---\n.*?\n---\n", "", jupytext.writes(nb, fmt="md:myst"), count=1, flags=re.S)
    header = yaml.safe_dump(_plain(front), sort_keys=True, allow_unicode=True, width=100)
    return f"---\n{header}---\n{body}"


def _plain(value):
    """Nested dictionaries and lists as YAML knows them."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def text(nb):
    """The notebook as it is committed: plain prose, sorted keys, indent 1, one newline at the end."""
    return nbformat.writes(plain.committed(copy.deepcopy(nb)), version=4).rstrip("\n") + "\n"


def normalise(nb, page="page"):
    """Bring an executed notebook into the one form in which it is committed (in place), or refuse it."""
    keep = {k: v for k, v in nb.metadata.items() if k not in ("language_info", "jupytext")}
    nb.metadata = nbformat.from_dict(keep | {"kernelspec": dict(KERNEL)})
    nb.nbformat, nb.nbformat_minor = 4, 5
    count = 0
    for number, cell in enumerate(nb.cells, 1):
        cell["id"] = f"cell-{number:02d}"
        cell.source = cell.source.rstrip()
        for key in PASSING_CELL_METADATA:
            cell.metadata.pop(key, None)
        if cell.cell_type != "code":
            cell.pop("attachments", None) if not cell.get("attachments") else None
            continue
        count += bool(cell.source)
        cell.execution_count = count if cell.source else None
        for output in cell.outputs:
            _normalise_output(output, cell.execution_count, f"{page}, cell {number}")
    widgets.normalise(nb)
    nbformat.validate(nb)
    return nb


def _normalise_output(output, count, where):
    """Mask addresses in one output and refuse what must not be published."""
    if output.output_type == "error":
        raise Refused(f"{where}: an error is saved in it: {output.ename}: {output.evalue}")
    if output.output_type == "stream":
        if output.name == "stderr":
            raise Refused(f"{where}: it writes to stderr, which readers would see:\n{output.text.strip()}")
        output.text = _clean(output.text, where)
        return
    if output.output_type == "execute_result":
        output.execution_count = count
    for mime, value in output.data.items():
        if mime == "image/png":
            output.data[mime] = pictures.light(value.strip())
        elif isinstance(value, str) and (mime.startswith("text/") or mime.endswith(("+xml", "javascript"))):
            output.data[mime] = _clean(value, where)


def _clean(value, where):
    """Text output with its addresses masked; a path of this machine is refused."""
    for path in {str(ROOT), str(Path.home()), "site-packages", get_path("stdlib"), tempfile.gettempdir()} - {"/"}:
        if re.search(rf"(?<![\w.]){re.escape(path)}(?=[/\\]|\b)", value):
            line = next(line for line in value.splitlines() if path in line)
            raise Refused(f"{where}: a path of this machine is in its output: {line.strip()[:200]}")
    return ADDRESS.sub("0x…", value)


def notices(nb):
    """What the author should know and may leave: pictures that weigh more than they should."""
    for number, cell in enumerate(nb.cells, 1):
        for output in cell.get("outputs", ()):
            size = len(output.get("data", {}).get("image/png", "")) * 3 // 4
            if size > LARGE_PICTURE:
                yield f"cell {number}: a picture of {size // 1000} kB (aim: {LARGE_PICTURE // 1000} kB)"


def reading_minutes(nb):
    """Minutes to read a page: 200 words a minute, a minute for 30 visible lines of code, one for each live figure."""
    words = sum(len(re.findall(r"[\w'’]+", cell.source)) for cell in nb.cells if cell.cell_type == "markdown")
    lines = figures = 0
    for cell in nb.cells:
        if cell.cell_type == "code":
            lines += 0 if hidden(cell) else len(cell.source.splitlines())
            figures += sum(widgets.VIEW in output.get("data", {}) for output in cell.outputs)
    return max(1, round(words / 200 + lines / 30 + figures))


def hidden(cell):
    """True for a code cell whose source the reader does not see."""
    return bool({"remove-input", "remove-cell", "hide-input", "hide-cell"} & set(cell.metadata.get("tags", ())))
