"""What a claim's numbers follow from: its function, the definitions of the package that it reaches, and their data.

Of a definition the code counts; comments, docstrings (of constants, too) and blank lines change no number. With it
count the files that its module names by `DATA = ("recipes/weights/gru*",)`, and what that module does besides defining.
"""

import ast
import hashlib
import importlib.util
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = "attend"
MACHINE = "attend.evidence"
"""Judging and showing make no number; the rules are asked again whenever a record is read."""
REFUSE = ("attend.core.expect", "attend.core.types", "attend.core.files")
"""They refuse arguments and files, and make no number: a record outlives a change of theirs."""
FAST = "attend.fast"
"""Its function `fast` knows every system. Of its classes only those count that speed up one which the claim needs."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)


class Part(NamedTuple):
    """A definition at the top of a module; without a name, all of the module."""

    module: str
    name: str | None


def made_by(module: str, name: str) -> dict[str, str]:
    """Digests by file of what the function `name` of `module` computes with; its own part of its file comes first."""
    own = Part(module, name)
    reached = _reached(own)
    found, data = {f"{_file(module).name} ({name} and what it calls)": _digest(module, reached.pop(module), name)}, {}
    for one in sorted(reached, key=lambda one: _place(_file(one))):
        found[_place(_file(one))] = _digest(one, reached[one])
        for pattern in _data(_source(one)):
            contents = (file.read_bytes() for file in sorted(_file(PACKAGE).parent.glob(pattern)))
            data[f"{PACKAGE}/{pattern}"] = _short(b"".join(_short(content).encode() for content in contents))
    return found | data


def how(module: str, name: str) -> str:
    """The source of a claim for readers: what it calls in its own file, and itself, declaration included."""
    text = _source(module).splitlines()
    nodes = [node for node in _needed(module, name, claim=True) if _binds(node) and not isinstance(node, IMPORTS)]
    return "\n\n\n".join("\n".join(text[_first(node) - 1 : node.end_lineno]) for node in nodes)


def _reached(own: Part) -> dict[str, set[int]]:
    """Of every module that is reached, the first lines of the statements that count."""
    waiting, seen, found, faster = [own], {own}, {}, False
    while waiting:
        part = waiting.pop()
        if part.module == FAST:
            faster = True
        elif not _apart(part.module):
            nodes = _needed(part.module, part.name, claim=part == own)
            found.setdefault(part.module, set()).update(node.lineno for node in nodes)
            waiting += {*_upstream(part.module, nodes)} - seen
        if faster and not waiting:
            waiting = [twin for twin, systems in _twins().items() if twin not in seen and _any(systems, seen)]
        seen.update(waiting)
    return found


def _apart(module: str) -> bool:
    return module in (MACHINE, *REFUSE) or module.startswith(f"{MACHINE}.kit")


def _any(systems: set[Part], seen: set[Part]) -> bool:
    return any(system in seen or Part(system.module, None) in seen for system in systems)


def _needed(module: str, name: str | None, claim: bool = False) -> list[ast.stmt]:
    """The statements of a module that a definition needs, itself last and else in their order; all, without a name.

    What a claim declares of itself, its decorator, needs nothing.
    """
    body = _tree(module).body
    bound: dict[str, list[ast.stmt]] = {}
    for node in body:
        for binding in _binds(node):
            bound.setdefault(binding, []).append(node)
    if claim and name not in bound:
        raise ValueError(f"name: got {name!r}, expected a function at the top of {_file(module).name}")
    if name not in bound:
        return list(body)  # all of it, or what every module has, such as its __name__
    waiting = [name]
    found = {id(node): node for node in body if not _binds(node)}  # what it does besides defining
    for node in found.values():
        waiting += _loads(node, decorated=True)
    while waiting:
        for node in bound.get(waiting.pop(), ()):
            if id(node) not in found:
                found[id(node)] = node
                waiting += _loads(node, decorated=not (claim and name in _binds(node)))
    return sorted(found.values(), key=lambda node: (name in _binds(node), node.lineno))


def _upstream(module: str, nodes: Iterable[ast.stmt]) -> Iterator[Part]:
    """What the statements take from other modules of the package, wherever in them they import it."""
    nodes = list(nodes)
    aliases: dict[str, str] = {}
    for node in (part for one in nodes for part in ast.walk(one)):
        if isinstance(node, ast.Import):
            yield from (Part(alias.name, None) for alias in node.names if _ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if _ours(inner):
                    aliases[alias.asname or alias.name] = inner
                elif _ours(node.module) and inner != f"{module}.{alias.name}":
                    yield Part(node.module, alias.name)
    yield from _through(nodes, aliases)


def _through(nodes: list[ast.stmt], aliases: dict[str, str]) -> Iterator[Part]:
    """What is taken from modules that go by a name here, `latch.CHANCE`; all of one that is handed on as such."""
    parts = [part for one in nodes for part in ast.walk(one)]
    dotted = [part for part in parts if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)]
    for part in dotted:
        if part.value.id in aliases:
            inner = f"{aliases[part.value.id]}.{part.attr}"
            yield Part(inner, None) if _ours(inner) else Part(aliases[part.value.id], part.attr)
    within = {id(part.value) for part in dotted}
    for part in parts:
        if isinstance(part, ast.Name) and part.id in aliases and id(part) not in within:
            yield Part(aliases[part.id], None)


@cache
def _twins() -> dict[Part, set[Part]]:
    """Every class of `attend.fast`, with the systems that it speeds up, its bases."""
    found = {}
    for path in sorted(_file(FAST).parent.glob("*.py")):
        module = f"{FAST}.{path.stem}"
        classes = [node for node in _tree(module).body if isinstance(node, ast.ClassDef)] if _ours(module) else []
        for node in classes:
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            found[Part(module, node.name)] = {
                part for part in _upstream(module, _needed(module, node.name)) if part.name in bases
            }
    return found


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    if isinstance(node, IMPORTS):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _loads(node: ast.stmt, decorated: bool) -> Iterator[str]:
    """The names that a statement uses; a claim's own declaration, its decorator, is compared apart."""
    skipped = [] if decorated else getattr(node, "decorator_list", [])
    left_out = {id(part) for one in skipped for part in ast.walk(one)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and id(part) not in left_out:
            yield part.id


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _digest(module: str, rows: set[int], claim: str | None = None) -> str:
    """The hash of the statements that begin in these rows, without the declaration of the claim itself."""
    lines, kept = _code(_source(module)), []
    for node in _tree(module).body:
        if node.lineno in rows and not isinstance(node, IMPORTS):
            kept += lines[(node.lineno if claim in _binds(node) else _first(node)) - 1 : node.end_lineno]
    return _short("\n".join(line for line in kept if line).encode())


@cache
def _ours(module: str) -> bool:
    """Is it a module of the package?"""
    return module.partition(".")[0] == PACKAGE and _file(module) is not None


def _source(module: str) -> str:
    return _file(module).read_text(encoding="utf-8")


def _tree(module: str) -> ast.Module:
    return _parsed(_source(module))


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def _file(module: str) -> Path | None:
    """The file of a module; None for a name that is no module. Nothing of it is run but the packages around it."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _place(path: Path) -> str:
    """A file's address in the package, the same on every machine."""
    return path.relative_to(_file(PACKAGE).parent.parent).as_posix()


@cache
def _data(source: str) -> tuple[str, ...]:
    """The data files that a module names, as patterns below the package; records of evidence are no data."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and "DATA" in _binds(node):
            return tuple(pattern for pattern in ast.literal_eval(node.value) if not pattern.startswith("evidence/"))
    return ()


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def _code(source: str) -> list[str]:
    """The lines of a source text, those of comments and docstrings left empty."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        says = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if says and lines[node.lineno - 1].lstrip()[:1] in "\"'rRuU":
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return [line.rstrip() for line in lines]
