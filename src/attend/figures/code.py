"""The package's own source on a page: shown, never retyped, and as plain as it runs.

A listing is the source without what stands round it: decorators that check arguments, docstrings, annotations. It is
cut out by the positions that the parser gives, so comments and line breaks stay as they were written.
"""

import ast
import builtins
import inspect
import io
import sys
import textwrap
import tokenize

from IPython import get_ipython
from IPython.display import Markdown, display

from attend.core.expect import checked, expect

WIDTH = 88
CHECKS, REFUSALS = {"checked"}, {"expect", "finite"}
SHAPES = {"Float", "Int", "Bool", "Num", "Real", "Shaped"}


@checked
def show_source(*objects: object, docstring: bool = False, imports: bool = False, edit: bool = False) -> None:
    """Show the source of functions or classes of the package, as it runs.

    `imports` puts the imports that it needs before it, so that it runs where it is pasted. `edit` does the same and, in
    a live notebook, writes it into a new cell below, to be changed and run (Colab has no such call: it shows the text,
    to be copied). `docstring` leaves docstrings and annotations in. Raises ValueError for an object that has no
    Python source.
    """
    pieces = [_source(thing) for thing in objects]
    shown = [piece if docstring else listing(piece) for piece in pieces]
    if imports or edit:
        shown = [*filter(None, [_imports(objects, shown)]), *shown]
    if edit and (shell := get_ipython()) and "google.colab" not in sys.modules:
        shell.set_next_input("\n\n\n".join(shown), replace=False)
    else:
        display(Markdown("\n\n".join(f"```python\n{piece}\n```" for piece in shown)))


def _source(thing: object) -> str:
    try:
        return textwrap.dedent(inspect.getsource(inspect.unwrap(thing) if callable(thing) else thing)).rstrip()
    except (TypeError, OSError) as error:
        raise ValueError(f"objects: got {thing!r}, expected a function or class with Python source") from error


@checked
def listing(source: str) -> str:
    """The source without checks, docstrings and annotations. Raises ValueError for a text that is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.Module(body=[], type_ignores=[])
    expect(len(tree.body) > 0, "source", source, "Python source")
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line.encode()))
    content, cuts = source.encode(), []

    def at(line: int, column: int = 0) -> int:
        return lines[line - 1] + column

    def span(node: ast.AST) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    def whole(node: ast.AST) -> tuple[int, int]:
        """The lines of a node and the blank ones behind it."""
        end = node.end_lineno
        while end < len(lines) - 1 and not content[lines[end] : lines[end + 1]].strip():
            end += 1
        return at(node.lineno), at(end + 1)

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            cuts += [(*whole(one), b"") for one in node.decorator_list if _name(one) in CHECKS]
            if ast.get_docstring(node) is not None:
                alone = len(node.body) == 1
                cuts.append((*span(node.body[0]), b"...") if alone else (*whole(node.body[0]), b""))
        if isinstance(node, ast.FunctionDef):
            cuts.append(_signature(node, source, at))
            refusals = [one for one in node.body if _refuses(one)]
            said = len(refusals) + (ast.get_docstring(node) is not None)
            cuts += [(*whole(one), b"") for one in refusals] if said < len(node.body) else []
        elif isinstance(node, ast.ClassDef):
            fields = [part for one in node.body if isinstance(one, ast.AnnAssign) for part in ast.walk(one.annotation)]
            shapes = [one for one in fields if isinstance(one, ast.Subscript) and _name(one.value) in SHAPES]
            cuts += [(*span(one), content[slice(*span(one.slice.elts[0]))]) for one in shapes]
    for node in _local(tree):
        start, end = span(node.target)[1], span(node.value)[0] if node.value else span(node)[1]
        cuts.append((start, end, b" = ") if node.value else (*whole(node), b""))
    for start, end, instead in sorted(cuts, reverse=True):
        content = content[:start] + instead + content[end:]
    return content.decode().rstrip()


def _refuses(node: ast.stmt) -> bool:
    """Whether a statement does nothing but refuse an argument, as `expect(…)` does."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) in REFUSALS


def _name(node: ast.expr) -> str:
    """The last word of a decorator or type: `checked` of `expect.checked(…)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _local(tree: ast.AST) -> list[ast.AnnAssign]:
    """The annotated names inside functions."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return list({one for node in functions for one in ast.walk(node) if isinstance(one, ast.AnnAssign)})


def _signature(node: ast.FunctionDef, source: str, at) -> tuple[int, int, bytes]:
    """What stands in the place of `def name(…) -> …`: the names and defaults, in one line where that fits."""
    start, rows = at(node.lineno, node.col_offset), source.splitlines()
    marks = (token.start for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.string == ":")
    places = (at(row, len(rows[row - 1][:column].encode())) for row, column in marks)
    end = max(place for place in places if start < place < at(node.body[0].lineno, node.body[0].col_offset))
    given, said = node.args, []
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    for place, (one, default) in enumerate(zip(plain, defaults, strict=True), 1):
        said.append(_parameter(one, default, source))
        said += ["/"] if given.posonlyargs and place == len(given.posonlyargs) else []
    if given.vararg or given.kwonlyargs:
        said.append(f"*{given.vararg.arg if given.vararg else ''}")
    said += [_parameter(*pair, source) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    said += [f"**{given.kwarg.arg}"] if given.kwarg else []
    line, indent = f"def {node.name}({', '.join(said)})", " " * node.col_offset
    if len(indent) + len(line) + 1 > WIDTH:
        line = "\n".join([f"def {node.name}(", *(f"{indent}    {one}," for one in said), f"{indent})"])
    return start, end, line.encode()


def _parameter(one: ast.arg, default: ast.expr | None, source: str) -> str:
    return one.arg if default is None else f"{one.arg}={ast.get_source_segment(source, default)}"


def _imports(objects: tuple[object, ...], shown: list[str]) -> str:
    """The imports of the names that the shown pieces use and do not define."""
    tree = ast.parse("\n".join(shown))
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - own - set(dir(builtins))
    found: dict[str, set[str]] = {}
    for thing in objects:
        module = inspect.getmodule(inspect.unwrap(thing) if callable(thing) else thing)
        for node in ast.parse(inspect.getsource(module)).body:
            for name, said in _brought(node, module.__name__):
                if name in used:
                    found.setdefault(said, set()).update({name} if said.endswith("import ") else ())
    said = [start + ", ".join(sorted(names)) for start, names in found.items()]
    return "\n".join(sorted(said, key=lambda line: ("attend" in line, line.startswith("from"), line)))


def _brought(node: ast.stmt, module: str) -> list[tuple[str, str]]:
    """The names that a statement of a module gives, each with the import that gives it elsewhere."""
    if isinstance(node, ast.Import):
        names = [(alias.asname or alias.name.split(".")[0], alias) for alias in node.names]
        return [(name, f"import {one.name}{f' as {one.asname}' if one.asname else ''}") for name, one in names]
    if isinstance(node, ast.ImportFrom):
        plain = [(alias.name, f"from {node.module} import ") for alias in node.names if not alias.asname]
        renamed = [alias for alias in node.names if alias.asname]
        return plain + [(one.asname, f"from {node.module} import {one.name} as {one.asname}") for one in renamed]
    named = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    if isinstance(node, ast.Assign):
        named = [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [(name, f"from {module} import ") for name in named]
