"""What a claim's numbers follow from: its function, the definitions of the package that it reaches, and their data.

Of a definition counts what it computes: comments, docstrings, layout, types and refusals change no number. With it
count the files that its module names by `DATA = ("recipes/weights/gru*",)`, and what that module does besides defining.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache

from attend.dependencies import HERE, IMPORTS, Part, Sources, binds, outside, says

MACHINE = "attend.evidence"
"""Judging and showing make no number; the rules are asked again whenever a record is read."""
REFUSE = ("attend.core.expect", "attend.core.types", "attend.core.files")
"""They refuse arguments and files, and make no number: a record outlives a change of theirs."""
UNCOUNTED = ("annotation", "returns", "type_comment", "type_params", "kind", "ctx", "simple")
"""Fields of the syntax tree that compute nothing, or that only one version of Python has."""


def made_by(module: str, name: str) -> dict[str, str]:
    """Digests by file of what the function `name` of `module` computes with; its own part of its file comes first."""
    sources, reached = needed(module, name)
    mine = _digest(reached.pop(module), name)
    found = {f"{sources.paths[module].name} ({name} and what it calls)": mine}
    found |= {sources.place(one): _digest(reached[one]) for one in sorted(reached, key=sources.place)}
    for _, pattern in sources.data(reached):
        if pattern.startswith("evidence/"):
            continue  # records are no data
        contents = (file.read_bytes() for file in sorted(HERE.glob(pattern)))
        found[f"{HERE.name}/{pattern}"] = _short(b"".join(_short(content).encode() for content in contents))
    return found


def needed(module: str, name: str) -> tuple[Sources, dict[str, list[ast.stmt]]]:
    """The sources, and by module the statements of which a claim's function is made, in order."""
    sources, own = _sources(module), Part(module, name)
    return sources, sources.reached([own], _apart, claim=own)


def how(module: str, name: str) -> str:
    """The source of a claim for readers: what it calls in its own file, and itself, declaration included."""
    sources = _sources(module)
    nodes = [node for node in sources.needed(module, name, claim=True) if binds(node) and not isinstance(node, IMPORTS)]
    return "\n\n\n".join("\n".join(sources.lines(module, node)) for node in nodes)


def _sources(module: str) -> Sources:
    sources = _package()
    if module not in sources.texts:
        sources = Sources()
        sources.add(module, outside(module))
    return sources


@cache
def _package() -> Sources:
    """The package as it was when this process first asked: four hundred files, read once and not for each claim."""
    return Sources()


def _apart(module: str) -> bool:
    return module in (MACHINE, *REFUSE) or module.startswith(f"{MACHINE}.kit")


def _digest(nodes: Iterable[ast.stmt], claim: str | None = None) -> str:
    """The hash of what these statements compute, without the declaration of the claim itself."""
    kept = [node for node in nodes if not isinstance(node, IMPORTS) and not _idle(node)]
    text = "\n".join(_statement(node, claim in binds(node)) for node in kept)
    used = set(re.findall(r"Name\(id='(\w+)'\)", text))
    imports = sorted(line for node in nodes if isinstance(node, IMPORTS) for line in _imported(node, used))
    return _short("\n".join([*imports, text]).encode())


def _imported(node: ast.Import | ast.ImportFrom, used: set[str]) -> Iterator[str]:
    """Where each name comes from that an import brings in and that is used: `F is torch.nn.functional`."""
    home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if name in used:
            yield f"{name} is {home}{alias.name}"


@cache
def _statement(node: ast.stmt, bare: bool) -> str:
    return _spelled(node, bare)


def _spelled(node: ast.AST, bare: bool = False) -> str:
    """A syntax tree as text, alike for all versions of Python; `bare`: without the decorators at its top."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    told = {}
    for name, value in ast.iter_fields(node):
        if name not in UNCOUNTED and not (bare and name == "decorator_list"):
            told[name] = [one for one in value if not _idle(one)] if isinstance(value, list) else value
    fields = (f"{name}={_told(value)}" for name, value in told.items() if value not in (None, []))
    return f"{type(node).__name__}({', '.join(fields)})"


def _told(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_told, value))}]"
    return _spelled(value) if isinstance(value, ast.AST) else repr(value)


def _idle(node: object) -> bool:
    """Is it a text that stands alone, the decorator `checked`, or a statement `expect(…)`, which only refuses?"""
    called = node.value if isinstance(node, ast.Expr) else None
    refuses = isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "expect"
    return refuses or says(node) or (isinstance(node, ast.Name) and node.id == "checked")


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
