"""What a page depends on, as hashes, so that a page that was not re-run is found and named.

A page's outputs follow from its code cells, from the package files that those reach through imports, and from
the data, the weights and the scripts that those files name. Prose is not among them.
"""

import ast
import hashlib
import os
import re
import sys
from functools import cache
from pathlib import Path

import grimp

from attend_book import ROOT
from attend_book.notebook import Refused

SOURCES = ROOT / "src"
PACKAGE = "attend"
# The data of a module are the files here whose names it says; CHECKSUMS and notes (.md) are not data.
DATA = ("tasks/data", "recipes/weights")
# From where a page installs the package says nothing about what it shows.
ADDRESS = re.compile(r"git\+https://[^\s\"']+")

# A relative import of a live figure's script.
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)"', re.MULTILINE)


def digest(nb, sources=SOURCES):
    """`{"cells": hash, "digest": hash, "files": {path: hash}}` for the notebook's code as it stands."""
    files = {path.relative_to(sources.parent).as_posix(): short(path.read_bytes()) for path in reached(nb, sources)}
    cells = short("\0".join(ADDRESS.sub("git+", cell.source.rstrip()) for cell in code(nb)).encode())
    whole = short(repr((cells, sorted(files.items()))).encode(), 16)
    return {"cells": cells, "digest": whole, "files": files}


def changes(recorded, now):
    """What differs between a recorded digest and the present one, in words; empty when nothing does."""
    if not recorded.get("digest"):
        return ["it was never run by `make pages`"]
    if recorded["digest"] == now["digest"]:
        return []
    said = ["its code cells changed"] if recorded.get("cells") != now["cells"] else []
    then = recorded.get("files", {})
    said += [f"{path} is new to it" for path in sorted(now["files"].keys() - then.keys())]
    said += [f"{path} is gone" for path in sorted(then.keys() - now["files"].keys())]
    both = sorted(then.keys() & now["files"].keys())
    said += [f"{path} changed" for path in both if then[path] != now["files"][path]]
    return said or ["its recorded digest was edited by hand"]


def short(content, length=12):
    """The first digits of a SHA-256, enough to tell two versions apart."""
    return hashlib.sha256(content).hexdigest()[:length]


def code(nb):
    """The code cells of a notebook."""
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def reached(nb, sources=SOURCES):
    """Every file of the package that the page's code reaches, sorted."""
    files = set()
    for tree in trees(nb):
        files.update(named_files(tree, sources))
    for module in closure(imported(nb, PACKAGE), sources):
        path = module_file(module, sources)
        files.add(path)
        files.update(named_files(ast.parse(path.read_text(encoding="utf-8")), sources))
        files.update(figure_files(path, sources))
    return sorted(files)


def imported(nb, package):
    """The names under `package` that the code cells import or reach by dots (`checks.coin` after `import checks`)."""
    names, local = set(), {}
    for tree in trees(nb):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
                local |= {alias.asname: alias.name for alias in node.names if alias.asname}
                local |= {package: package}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
                found = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                names.update(found.values())
                local |= found
            elif isinstance(node, ast.Attribute):
                first, *rest = dotted(node).split(".")
                names.add(".".join([local.get(first, first), *rest]))
    return {name for name in names if name == package or name.startswith(package + ".")}


def dotted(node):
    """`a.b.c` of an attribute chain; a chain that begins with something else than a name begins with a dot."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def trees(nb):
    """The code cells as syntax trees; a cell that is not Python is refused by number and line."""
    for number, cell in enumerate(nb.cells, 1):
        if cell.cell_type == "code":
            try:
                yield parse(cell.source)
            except SyntaxError as error:
                line = (error.text or "").rstrip()
                said = f"cell {number} is not Python: {error.msg}, line {error.lineno}:\n    {line}"
                raise Refused(said) from None


def parse(source):
    """The syntax tree of a cell; lines that are IPython's own (%, !, ?) count as empty."""
    lines = [
        line[: len(line) - len(line.lstrip())] + "pass" if line.lstrip().startswith(("%", "!")) else line
        for line in source.splitlines()
    ]
    return ast.parse("\n".join(line[:-1] if line.endswith("?") else line for line in lines))


def closure(names, sources=SOURCES):
    """The modules that importing `names` runs: they, their packages, and all that those import."""
    graph = import_graph(sources)
    waiting = [parent for name in names for parent in with_packages(name) if parent in graph.modules]
    seen = set()
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            for upstream in graph.find_modules_directly_imported_by(module):
                waiting += with_packages(upstream)
    return seen


@cache
def import_graph(sources):
    """Who imports whom in the package that lies in `sources`."""
    sys.path.insert(0, str(sources))
    try:
        return grimp.build_graph(PACKAGE, cache_dir=None)
    except grimp.exceptions.SourceSyntaxError as error:
        raise Refused(f"the package has a syntax error: {error}") from None
    finally:
        sys.path.remove(str(sources))


def with_packages(module):
    """`a.b.c` as `a`, `a.b`, `a.b.c`."""
    parts = module.split(".")
    return [".".join(parts[:size]) for size in range(1, len(parts) + 1)]


def module_file(module, sources=SOURCES):
    """The file of a module of the package."""
    path = sources.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def named_files(tree, sources=SOURCES):
    """Data and weights whose name, with or without its ending, a string of the tree says or an f-string can say."""
    said, patterns = set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            said.add(node.value)
        if isinstance(node, ast.JoinedStr):
            patterns += name_pattern(node)
    for folder in DATA:
        for found in (sources / PACKAGE / folder).glob("*"):
            if found.suffix in ("", ".py", ".md"):
                continue
            if {found.name, found.stem} & said or any(p.fullmatch(found.stem) for p in patterns):
                yield found


def name_pattern(node):
    """An f-string as a pattern of file stems, if its fixed part says enough: `f"unit_{seed}"`, `f"unit{n}.npz"`."""
    parts = [part.value if isinstance(part, ast.Constant) else "\0" for part in node.values]
    stem = "".join(parts).split(".")[0]
    if len(stem.replace("\0", "")) >= 3 and re.fullmatch(r"[\w\0-]+", stem):
        yield re.compile(".*".join(map(re.escape, stem.split("\0"))))


def figure_files(path, sources=SOURCES):
    """What a live figure is made of: its script, the modules that it and the kit's front end reach, their styles."""
    live, name = sources / PACKAGE / "live", path.parent.name
    script = path.with_name(f"{name}.js")
    if path.parent.parent != live or not script.is_file():
        return set()
    styles = live / "kit" / "kit.css", script.with_suffix(".css")
    return scripts(live / "kit" / "widget.js") | scripts(script) | {sheet for sheet in styles if sheet.is_file()}


def scripts(file):
    """A script and every script that it reaches by relative imports."""
    found, waiting = set(), [file]
    while waiting:
        script = waiting.pop()
        if script not in found:
            found.add(script)
            waiting += [Path(os.path.normpath(script.parent / to)) for to in IMPORT.findall(script.read_text("utf-8"))]
    return found
