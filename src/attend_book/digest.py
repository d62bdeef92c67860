"""What a page was run with, as hashes in one file, `chapters/pages.lock`, so that a page that was not re-run is found.

A page's outputs follow from its code cells, from the definitions of the package that these reach (without docstrings,
which no listing shows), and from the data that the modules of those declare: `DATA = ("tasks/data/digits.npz",
"recipes/weights/counter*")`, paths or patterns below the package. Prose is not among them, nor is the front end of a
live figure, which the page does not run.

The file has a line for each page and each file that it reached. Two branches that ran different pages change different
lines; where both ran one page, whatever is left of their lines makes it stale.
"""

import ast
import hashlib
import re

from attend.dependencies import Part, Sources
from attend_book import ROOT, Refused, notebook

PACKAGE = ROOT / "src" / "attend"
LOCK = "pages.lock"
HEAD = "# Written by `make pages`: each page, what it was run with, and the hash of that."
CODE = "code"
EVIDENCE, KIT = "attend.evidence.", "attend.evidence.kit."
UNSEEN = ("attend.dependencies", "attend.evidence.kit.made_by")
"""They find out whether a record is stale; a page shows nothing of them."""
CLAIM = re.compile(r"([a-z][a-z0-9_]*)\.([a-z0-9_]+)")


def short(content):
    """The first digits of a SHA-256, enough to tell two versions apart."""
    return hashlib.sha256(content).hexdigest()[:12]


def needs(nb, package=PACKAGE):
    """What a page needs, as hashes: its code, the definitions that it reaches, by file, and the data of those files.

    Raises Refused for a cell that Python cannot read: nobody would know when the page is stale.
    """
    for number, cell in enumerate(nb.cells, 1):
        if cell.cell_type == "code":
            _readable(cell.source, f"cell {number}: ")
    sources, code = Sources(package), "\0".join(cell.source.rstrip() for cell in notebook.code(nb))
    reached = sources.reached(parts(code.replace("\0", "\n"), sources))
    found = {CODE: short(code.encode())}
    for module in reached.keys() - set(UNSEEN):
        nodes = reached[module]
        # How a claim was measured is shown with all that is said.
        told = module.startswith(EVIDENCE) and not module.startswith(KIT)
        lines = [line for node in nodes for line in sources.lines(module, node, told)]
        found[address(sources.paths[module], package)] = short("\n".join(lines).encode())
    for module in sources.data(reached):
        for path in declared(*module, package):
            found[address(path, package)] = short(path.read_bytes())
    return found


def parts(code, sources):
    """What a page's code takes from the package: what it imports, and the claims that it shows by their names.

    Raises Refused for code that Python cannot read: nobody would know when the page is stale.
    """
    body = _readable(code).body
    yield from sources.upstream("", body)
    for text in {node.value for one in body for node in ast.walk(one) if isinstance(node, ast.Constant)}:
        if isinstance(text, str) and (claim := CLAIM.fullmatch(text)):
            module = f"{EVIDENCE}{claim[1]}"
            if module in sources.texts:
                yield Part(module, claim[2])


def _readable(code, where=""):
    try:
        return notebook.syntax(code)
    except SyntaxError as wrong:
        raise Refused(f"{where}SyntaxError: its code cannot be read: {wrong}") from None


def address(path, package=PACKAGE):
    """A file of the package by its path in the repository."""
    return path.relative_to(package.parents[1]).as_posix()


def declared(module, pattern, package=PACKAGE):
    """The data files that a module names by a pattern; one that finds none is refused."""
    found = sorted(path for path in package.glob(pattern) if path.is_file())
    if not found:
        raise Refused(f"{module}: DATA names {pattern}, which is not there")
    return found


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

    def changes(self, page, nb, package=PACKAGE):
        """What differs between the page's last run and now, in words; empty when nothing does."""
        if page not in self.pages:
            return [f"{LOCK} does not know it"]
        then, now = self.pages[page], needs(nb, package)
        before = {file for file, _ in then}
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
