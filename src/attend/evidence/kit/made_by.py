"""What a claim's numbers follow from: its function, the modules of the package that it reaches by imports, their data.

Of each module the code counts; comments, docstrings (of constants, too) and blank lines change no number. Its data are
the files that it names by `DATA = ("recipes/weights/gru*",)`.
"""

import ast
import hashlib
import importlib.util
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = "attend"
MACHINE = "attend.evidence"
"""Judging and showing make no number; the rules are asked again whenever a record is read."""
REFUSE = ("attend.core.expect", "attend.core.types", "attend.core.files")
"""They refuse arguments and files, and make no number: a record outlives a change of theirs."""
FAST = "attend.fast"
"""It imports every system. Of its modules only those count that speed up a system which the claim needs."""
SHARED = ("attend.core.", f"{FAST}.")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def made_by(module: str, name: str) -> dict[str, str]:
    """Digests by file of what the function `name` of `module` computes with; its own part of its file comes first."""
    file = _file(module)
    nodes = _needed(file, name)
    lines = _code(file.read_text(encoding="utf-8"))
    own = "\n".join(line for node in nodes for line in _lines(lines, node, name) if line)
    found = {f"{file.name} ({name} and what it calls)": _short(own.encode())}
    modules = {upstream for node in nodes for upstream in _imported(node)}
    data = {}
    for path in sorted(_closure(modules) - {file}):
        source = path.read_text(encoding="utf-8")
        found[_place(path)] = _digest(source)
        for pattern in _data(source):
            contents = (one.read_bytes() for one in sorted(_file(PACKAGE).parent.glob(pattern)))
            data[f"{PACKAGE}/{pattern}"] = _short(b"".join(_short(content).encode() for content in contents))
    return found | data


def how(module: str, name: str) -> str:
    """The source of a claim for readers: what it calls in its own file, and itself, declaration included."""
    file = _file(module)
    text = file.read_text(encoding="utf-8").splitlines()
    nodes = [node for node in _needed(file, name) if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n\n\n".join("\n".join(text[_first(node) - 1 : node.end_lineno]) for node in nodes)


def _needed(file: Path, name: str) -> list[ast.stmt]:
    """The statements of a file that the function needs, itself last and else in their order."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    bound: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for binding in _binds(node):
            bound.setdefault(binding, []).append(node)
    if name not in bound:
        raise ValueError(f"name: got {name!r}, expected a function at the top of {file.name}")
    waiting, found = [name], {}
    while waiting:
        for node in bound.get(waiting.pop(), ()):
            if id(node) not in found:
                found[id(node)] = node
                waiting += _loads(node, decorated=name not in _binds(node))
    return sorted(found.values(), key=lambda node: (name in _binds(node), node.lineno))


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
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


def _lines(lines: list[str], node: ast.stmt, name: str) -> list[str]:
    """The lines of code of a statement, without the declaration of the claim itself."""
    first = node.lineno if name in _binds(node) else _first(node)
    return lines[first - 1 : node.end_lineno]


def _imported(tree: ast.AST) -> Iterator[str]:
    """Modules of the package that the code imports, wherever in it."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.partition(".")[0] == PACKAGE and _file(name):
                yield name


def _closure(modules: Iterable[str]) -> set[Path]:
    """The files that importing these modules runs; of `attend.fast` those alone that speed up a system among them."""
    waiting, seen, faster = list(modules), set(), False
    while waiting:
        name = waiting.pop()
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            module = ".".join(parts[:length])
            faster |= module == FAST
            apart = module in (MACHINE, FAST, *REFUSE) or module.startswith(f"{MACHINE}.kit")
            if module not in seen and not apart:
                seen.add(module)
                waiting += _upstream(_source(module))
        if faster and not waiting:
            waiting = [twin for twin in _twins() if twin not in seen and seen & _systems(twin)]
    return {_file(module) for module in seen}


def _twins() -> list[str]:
    """The modules of `attend.fast`."""
    return [f"{FAST}.{path.stem}" for path in sorted(_file(FAST).parent.glob("*.py")) if path.stem != "__init__"]


def _systems(twin: str) -> set[str]:
    """The systems that a module of `attend.fast` speeds up."""
    return {name for name in _upstream(_source(twin)) if name.count(".") > 1 and not name.startswith(SHARED)}


def _source(module: str) -> str:
    return _file(module).read_text(encoding="utf-8")


@cache
def _upstream(source: str) -> tuple[str, ...]:
    return tuple(_imported(ast.parse(source)))


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


@cache
def _digest(source: str) -> str:
    return _short("\n".join(line for line in _code(source) if line).encode())


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


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
