"""Pages as files: MyST text, which is written, and the notebook built from it, executed, in one normal form.

A page that is executed twice must come out the same to the byte. Whatever an execution leaves that differs
from run to run (cell ids, widget ids, addresses, time stamps) is replaced here by something fixed; what must
not be published (warnings, errors, paths of this machine) is refused.
"""

import ast
import copy
import fcntl
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from sysconfig import get_path

import nbformat
import yaml
from myst_nb.core.read import MystMetadataParsingError, read_myst_markdown_notebook

from attend_book import ROOT, Refused, pictures, plain, widgets

CHAPTERS = ROOT / "chapters"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
PASSING_CELL_METADATA = ("execution", "trusted", "scrolled", "collapsed", "ExecuteTime")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")


def name(path):
    """The page's name as a reader of the repository writes it: `chapters/memory/coin.md`."""
    path = Path(path).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def pages(folder=CHAPTERS):
    """The text of every page, in the order of its path."""
    return sorted(path for path in folder.rglob("*.md") if ".ipynb_checkpoints" not in path.parts)


def find(said):
    """The text of the page that is called by its path (.md or .ipynb), by `memory/coin` or by `coin`."""
    path = Path(said).with_suffix(".md")
    if path.is_file() or path.is_absolute():
        return path
    found = [page for page in pages() if page.as_posix().endswith(f"/{path.as_posix()}")]
    if len(found) != 1:
        raise Refused(f"{said}: {' and '.join(map(name, found)) if found else 'no such page'}")
    return found[0]


@contextmanager
def alone(folder):
    """Nobody else writes into the folder meanwhile; the lock ends with its process, however that ends."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_whole(path, text):
    """Write a file so that a reader finds the old one or the new one and never a part; its mode and links stay.

    `text` may be a function that is called when nobody else writes into the folder, to read what the file says first.
    """
    path = Path(path).resolve()
    part = path.with_name(f".{path.name}.part")  # always the same name: what a killed writer left is written over
    with alone(path.parent):
        try:
            part.write_text(text() if callable(text) else text, encoding="utf-8", newline="\n")
            if path.exists():
                shutil.copymode(path, part)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


def written(path):
    """The page as its author writes it: cells in MyST, without outputs; `source_map` says on which line each begins."""
    if not Path(path).is_file():
        raise Refused(f"{name(path)}: no such file")
    try:
        nb = read_myst_markdown_notebook(Path(path).read_text(encoding="utf-8"), add_source_map=True)
    except (MystMetadataParsingError, yaml.YAMLError) as error:
        raise Refused(f"{name(path)}: {error}") from None
    nb.metadata.pop("jupytext", None)
    for cell in nb.cells:
        cell.source = cell.source.rstrip()
    return nb


def read(path):
    """The page as it is written, its code with the outputs that the built notebook has of the very same code."""
    nb, built = written(Path(path).with_suffix(".md")), Path(path).with_suffix(".ipynb")
    if built.is_file():
        take_outputs(nb, nbformat.read(built, as_version=4))
    return nb


def take_outputs(nb, built):
    """Give the code cells of a text the outputs of the same cells of the notebook; `not_run` names the others."""
    mine, theirs = code(nb), code(built)
    pairs = SequenceMatcher(None, [cell.source for cell in mine], [cell.source for cell in theirs], autojunk=False)
    for start, there, size in pairs.get_matching_blocks():
        for cell, old in zip(mine[start : start + size], theirs[there : there + size], strict=True):
            cell.outputs, cell.execution_count = old.outputs, old.execution_count
    if "widgets" in built.metadata:
        nb.metadata["widgets"] = built.metadata["widgets"]
    if seconds := built.metadata.get("attend", {}).get("run_seconds"):
        nb.metadata.setdefault("attend", nbformat.NotebookNode())["run_seconds"] = seconds


def not_run(nb):
    """The numbers of the code cells that the built notebook does not have as they stand in the text."""
    cells = enumerate(nb.cells, 1)
    return [n for n, cell in cells if cell.cell_type == "code" and cell.source and not cell.execution_count]


def code(nb):
    """The code cells of a notebook."""
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def syntax(source):
    """Code of a page as a syntax tree; lines that are IPython's own count as empty. Raises SyntaxError."""
    return ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.MULTILINE))


def text(nb):
    """The notebook as it is committed: plain prose, sorted keys, indent 1, one newline at the end."""
    return nbformat.writes(plain.committed(copy.deepcopy(nb)), version=4).rstrip("\n") + "\n"


def normalise(nb, page="page"):
    """Bring an executed notebook into the one form in which it is committed (in place), or refuse it."""
    passing = ("language_info", "source_map")
    keep = {key: value for key, value in nb.metadata.items() if key not in passing}
    nb.metadata = nbformat.from_dict(keep | {"kernelspec": dict(KERNEL)})
    nb.nbformat, nb.nbformat_minor = 4, 5
    count = 0
    for number, cell in enumerate(nb.cells):  # the set-up cell is 0, so the others count as in the text
        cell["id"] = f"cell-{number:02d}"
        cell.source = cell.source.rstrip()
        for key in PASSING_CELL_METADATA:
            cell.metadata.pop(key, None)
        if cell.cell_type != "code":
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
            try:
                output.data[mime] = pictures.light(value.strip())
            except Refused as refused:
                raise Refused(f"{where}: {refused}") from None
        elif isinstance(value, str) and (mime.startswith("text/") or mime.endswith(("+xml", "javascript"))):
            output.data[mime] = _clean(value, where)


def _clean(value, where):
    """Text output with its addresses masked; a path of this machine is refused."""
    for path in {str(ROOT), str(Path.home()), "site-packages", get_path("stdlib"), tempfile.gettempdir()} - {"/"}:
        if re.search(rf"(?<![\w.]){re.escape(path)}(?=[/\\]|\b)", value):
            line = next(line for line in value.splitlines() if path in line)
            raise Refused(f"{where}: a path of this machine is in its output: {line.strip()[:200]}")
    return ADDRESS.sub("0x…", value)


def hidden(cell):
    """True for a code cell whose source the reader does not see."""
    return bool({"remove-input", "remove-cell", "hide-input", "hide-cell"} & set(cell.metadata.get("tags", ())))
