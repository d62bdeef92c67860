"""What a piece of code needs of the package, read from the sources: the definitions that it reaches, in every module.

Records of evidence and the lock of the pages are kept by it: they grow stale when a definition changes that they
reached, and not when something else in the same file does. Nothing is run.
"""

import ast
import importlib.util
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "attend"
HERE = Path(__file__).parent
FAST = "attend.fast"
"""Its function `fast` knows every system. Of its classes only those count that speed up one which is reached."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)


class Part(NamedTuple):
    """A definition at the top of a module; without a name, all of the module."""

    module: str
    name: str | None


class Sources:
    """The modules of the package below `folder` as they are now: `paths` and `texts` by their names."""

    def __init__(self, folder: Path = HERE):
        self.folder, self.paths, self.texts = folder, {}, {}
        for path in sorted(folder.rglob("*.py")):
            place = path.relative_to(folder.parent).with_suffix("").parts
            self.add(".".join(place[:-1] if place[-1] == "__init__" else place), path)
        self.twins = self._twins()

    def add(self, module: str, path: Path) -> None:
        """Take up a module, wherever it stands."""
        self.paths[module], self.texts[module] = path, path.read_text(encoding="utf-8")

    def place(self, module: str) -> str:
        """A module's address, the same on every machine; the bare name of a file outside the package."""
        path, home = self.paths[module], self.folder.parent
        return path.relative_to(home).as_posix() if path.is_relative_to(home) else path.name

    def reached(
        self, start: Iterable[Part], without: Callable[[str], bool] = lambda _: False, claim: Part | None = None
    ) -> dict[str, list[ast.stmt]]:
        """By module the statements that these parts need, in order; the declaration of `claim` needs nothing."""
        waiting = [*start]
        seen, rows = set(waiting), {}
        while waiting:
            part = waiting.pop()
            if part.module != FAST and not without(part.module):
                nodes = self.needed(part.module, part.name, claim=part == claim)
                rows.setdefault(part.module, {}).update((node.lineno, node) for node in nodes)
                waiting += {*self.upstream(part.module, nodes)} - seen
            if not waiting and any(part.module == FAST for part in seen):
                named = {
                    Part(module, name)
                    for module, found in rows.items()
                    for one in found.values()
                    for name in binds(one)
                }
                waiting = [twin for twin, systems in self.twins.items() if twin not in seen and systems & named]
            seen.update(waiting)
        return {module: [found[row] for row in sorted(found)] for module, found in rows.items()}

    def needed(self, module: str, name: str | None, claim: bool = False) -> list[ast.stmt]:
        """The statements of a module that a definition needs, itself last and else in their order; all, without a name.

        What a claim declares of itself, its decorator, needs nothing.
        """
        body, bound = _parsed(self.texts[module]).body, _bound(self.texts[module])
        if claim and name not in bound:
            raise ValueError(f"name: got {name!r}, expected a function at the top of {self.paths[module].name}")
        if name not in bound:
            return list(body)  # all of it, or what every module has, such as its __name__
        waiting = [name]
        found = {id(node): node for node in body if not binds(node)}  # what it does besides defining
        for node in found.values():
            waiting += _loads(node, decorated=True)
        while waiting:
            for node in bound.get(waiting.pop(), ()):
                if id(node) not in found:
                    found[id(node)] = node
                    waiting += _loads(node, decorated=not (claim and name in binds(node)))
        return sorted(found.values(), key=lambda node: (name in binds(node), node.lineno))

    def upstream(self, module: str, nodes: Iterable[ast.stmt]) -> Iterator[Part]:
        """What the statements take from the modules of the package, wherever in them they import it."""
        nodes = list(nodes)
        aliases: dict[str, str] = {}
        for node in (part for one in nodes for part in _uses(one).imports):
            if isinstance(node, ast.Import):
                yield from (Part(alias.name, None) for alias in node.names if alias.name in self.texts)
            elif node.module and not node.level:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    if inner in self.texts:
                        aliases[alias.asname or alias.name] = inner
                    elif node.module in self.texts and inner != f"{module}.{alias.name}":
                        yield Part(node.module, alias.name)
        yield from self._through(nodes, aliases)

    def data(self, modules: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The data files that the modules name, `DATA = ("recipes/weights/gru*",)`: each module with its patterns."""
        for module in sorted(modules):
            for node in _parsed(self.texts[module]).body:
                if isinstance(node, ast.Assign) and "DATA" in binds(node):
                    yield from ((module, pattern) for pattern in ast.literal_eval(node.value))

    def lines(self, module: str, node: ast.stmt, told: bool = True) -> list[str]:
        """A statement as it is written, decorators included; unless `told`, without docstrings."""
        rows = range(first(node), node.end_lineno + 1)
        if not told:
            rows = [row for row in rows if row not in _silent(node)]
        text = _lines(self.texts[module])
        return [text[row - 1] for row in rows]

    def _through(self, nodes: list[ast.stmt], aliases: dict[str, str]) -> Iterator[Part]:
        """What is taken from modules that go by a name here, `latch.CHANCE`; all of one that is handed on as such."""
        for part in (part for one in nodes for part in _uses(one).dotted):
            if part.value.id in aliases:
                inner = f"{aliases[part.value.id]}.{part.attr}"
                yield Part(inner, None) if inner in self.texts else Part(aliases[part.value.id], part.attr)
        for part in (part for one in nodes for part in _uses(one).alone):
            if part.id in aliases:
                yield Part(aliases[part.id], None)

    def _twins(self) -> dict[Part, set[Part]]:
        """Every class of `attend.fast`, with the systems that it speeds up, its bases."""
        found = {}
        for module in [module for module in self.texts if module.startswith(f"{FAST}.")]:
            for node in _parsed(self.texts[module]).body:
                if isinstance(node, ast.ClassDef):
                    bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                    upstream = self.upstream(module, self.needed(module, node.name))
                    found[Part(module, node.name)] = {part for part in upstream if part.name in bases}
        return found


def outside(module: str) -> Path:
    """The file of a module that is not of the package."""
    return Path(importlib.util.find_spec(module).origin)


@cache
def binds(node: ast.stmt) -> frozenset[str]:
    """The names that a statement gives a meaning."""
    if isinstance(node, DEFINITIONS):
        return frozenset({node.name})
    if isinstance(node, IMPORTS):
        return frozenset(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    return frozenset(
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def first(node: ast.stmt) -> int:
    """The line in which a statement begins, with its decorators."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def says(node: ast.AST) -> bool:
    """Is it a text that stands alone, such as a docstring?"""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _loads(node: ast.stmt, decorated: bool) -> list[str]:
    """The names that a statement uses; a claim's own declaration, its decorator, is compared apart."""
    skipped = [] if decorated else getattr(node, "decorator_list", [])
    left_out = {id(part) for one in skipped for part in ast.walk(one)}
    return [part.id for part in _uses(node).names if id(part) not in left_out]


class _Uses(NamedTuple):
    """What stands anywhere in a statement: imports, names, of these the ones alone, and names with an attribute."""

    imports: list[ast.Import | ast.ImportFrom]
    names: list[ast.Name]
    alone: list[ast.Name]
    dotted: list[ast.Attribute]


@cache
def _uses(node: ast.stmt) -> _Uses:
    parts = list(ast.walk(node))
    names = [part for part in parts if isinstance(part, ast.Name)]
    dotted = [part for part in parts if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)]
    within = {id(part.value) for part in dotted}
    alone = [name for name in names if id(name) not in within]
    return _Uses([part for part in parts if isinstance(part, IMPORTS)], names, alone, dotted)


@cache
def _silent(node: ast.stmt) -> frozenset[int]:
    """The rows of a statement that hold docstrings."""
    told = [part for part in ast.walk(node) if says(part)]
    return frozenset(row for part in told for row in range(part.lineno, part.end_lineno + 1))


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def _lines(source: str) -> list[str]:
    return source.splitlines()


@cache
def _bound(source: str) -> dict[str, list[ast.stmt]]:
    """The statements of a source that give each name a meaning."""
    bound: dict[str, list[ast.stmt]] = {}
    for node in _parsed(source).body:
        for name in binds(node):
            bound.setdefault(name, []).append(node)
    return bound
