"""What a page was run with, as hashes in one file, `chapters/pages.lock`, so that a page that was not re-run is found.

A page's outputs follow from its code cells, from the modules of the package that those reach through imports, and from
the data that the modules declare: `DATA = ("tasks/data/digits.npz", "recipes/weights/gru*")`, paths or patterns below
the package. Prose is not among them, nor is the front end of a live figure, which the page does not run.

The file has a line for each page and each file that it reached. Two branches that ran different pages change different
lines; where both ran one page, whatever is left of their lines makes it stale.
"""

import ast
import hashlib
import sys
from functools import cache

import grimp

from attend_book import ROOT, Refused, notebook

SOURCES = ROOT / "src"
PACKAGE = "attend"
LOCK = "pages.lock"
HEAD = "# Written by `make pages`: each page, what it was run with, and the hash of that."
CODE = "code"


def needs(nb, sources=SOURCES):
    """What the code of a page needs, as it stands: a hash for its code, and for each file by path."""
    modules = [module_file(module, sources) for module in closure(imported(nb, PACKAGE), sources)]
    paths = {*modules, *(path for module in modules for path in declared(module, sources))}
    code = "\0".join(cell.source.rstrip() for cell in notebook.code(nb))
    hashes = {path.relative_to(sources.parent).as_posix(): short(path.read_bytes()) for path in paths}
    return {CODE: short(code.encode())} | hashes


def short(content):
    """The first digits of a SHA-256, enough to tell two versions apart."""
    return hashlib.sha256(content).hexdigest()[:12]


class Lock:
    """What is known of the pages below a folder, as its lock file says."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / LOCK
        self.read()

    def read(self):
        """Take up what the file says, page by page; a line of another form says nothing."""
        self.pages = {}
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else ():
            match line.split():
                case [page, file, content]:
                    self.pages.setdefault(page, set()).add((file, content))

    def changes(self, page, now):
        """What differs between the page's last run and now, in words; empty when nothing does."""
        if page not in self.pages:
            return [f"{LOCK} does not know it"]
        then, now = self.pages[page], set(now.items())
        before, after = ({file for file, _ in some} for some in (then, now))
        said = []
        for file in sorted({file for file, _ in then ^ now}):
            how = "changed" if file in before & after else "is new to it" if file in after else "is no more reached"
            said.append(f"{'its code' if file == CODE else file} {how}")
        return said

    def record(self, page, ran):
        """Note what the page was run with; a page that is there no more leaves the file."""

        def told():
            self.read()
            self.pages[page] = set(ran.items())
            there = [name for name in sorted(self.pages) if name == page or (self.folder / name).is_file()]
            lines = [f"{name} {file} {content}" for name in there for file, content in sorted(self.pages[name])]
            return "\n".join([HEAD, *lines, ""])

        notebook.write_whole(self.path, told)


@cache
def _declared(text):
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["DATA"]:
            return ast.literal_eval(node.value)
    return ()


def declared(module, sources=SOURCES):
    """The data files that a module declares; a pattern that finds none is refused."""
    for pattern in _declared(module.read_text(encoding="utf-8")):
        found = sorted(path for path in (sources / PACKAGE).glob(pattern) if path.is_file())
        if not found:
            raise Refused(f"{module.relative_to(sources)}: DATA names {pattern}, which is not there")
        yield from found


def imported(nb, package):
    """The names under `package` that the code cells import, reach by dots, or show: `evidence.show("lstm.lag")`."""
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
            elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] == "show" and node.args:
                names.add(f"{package}.evidence.{str(getattr(node.args[0], 'value', '')).split('.')[0]}")
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
