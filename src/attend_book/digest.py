"""What a page was run with, as hashes in one file, `chapters/pages.lock`, so that a page that was not re-run is found.

A page's outputs follow from its code cells, from the modules of the package that its kernel had imported at the end,
and from the data that those declare: `DATA = ("tasks/data/digits.npz", "recipes/weights/counter*")`, paths or patterns
below the package. Prose is not among them, nor is the front end of a live figure, which the page does not run.

The file has a line for each page and each file that it reached. Two branches that ran different pages change different
lines; where both ran one page, whatever is left of their lines makes it stale.
"""

import ast
import hashlib
from functools import cache

from attend_book import ROOT, Refused, notebook

SOURCES = ROOT / "src"
PACKAGE = "attend"
LOCK = "pages.lock"
HEAD = "# Written by `make pages`: each page, what it was run with, and the hash of that."
CODE = "code"


def snapshot(sources=SOURCES):
    """The hash of every file of the package, by path."""
    paths = (path for path in (sources / PACKAGE).rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(sources.parent).as_posix(): short(path.read_bytes()) for path in paths}


def short(content):
    """The first digits of a SHA-256, enough to tell two versions apart."""
    return hashlib.sha256(content).hexdigest()[:12]


def needs(nb, modules, files, sources=SOURCES):
    """What a page needs, as hashes: its code, the modules that it reached (paths), and the data that they declare."""
    there = [module for module in modules if module in files]
    data = (path for module in there for path in declared(sources.parent / module, sources))
    code = short("\0".join(cell.source.rstrip() for cell in notebook.code(nb)).encode())
    return {CODE: code} | {path: files[path] for path in (*there, *data)}


def module_file(module, sources=SOURCES):
    """The path of a module of the package."""
    path = sources.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path.relative_to(sources.parent).as_posix()


def declared(module, sources=SOURCES):
    """The data files that a module declares; a pattern that finds none is refused."""
    for pattern in _declared(module.read_text(encoding="utf-8")):
        found = sorted(path for path in (sources / PACKAGE).glob(pattern) if path.is_file())
        if not found:
            raise Refused(f"{module.relative_to(sources)}: DATA names {pattern}, which is not there")
        yield from (path.relative_to(sources.parent).as_posix() for path in found)


@cache
def _declared(text):
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["DATA"]:
            return ast.literal_eval(node.value)
    return ()


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

    def changes(self, page, nb, files, sources=SOURCES):
        """What differs between the page's last run and now, in words; empty when nothing does."""
        if page not in self.pages:
            return [f"{LOCK} does not know it"]
        then = self.pages[page]
        before = {file for file, _ in then}
        now = needs(nb, sorted(file for file in before if file.endswith(".py")), files, sources)
        said = []
        for file in sorted({file for file, _ in then ^ set(now.items())}):
            how = "changed" if file in before & now.keys() else "is new to it" if file in now else "is gone"
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
