"""A file has at most 300 lines, a function 40 (its docstring aside); no file is called utils, helpers or common."""

import ast

from tests.house.course import nothing

from attend_book import ROOT

FILE, FUNCTION = 300, 40
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc", "lib"}
TREES = ("src", "tests", "benchmarks")


def python_files(root):
    """Every Python and JavaScript file of ours."""
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix in (".py", ".js") and not {"node_modules", "__pycache__"} & set(path.parts):
                yield path


def too_long(root):
    """Files and functions that are too long."""
    for path in python_files(root):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
        lines = len(text.splitlines())
        if lines > FILE:
            yield f"{name} has {lines} lines, at most {FILE}"
        for node in ast.walk(ast.parse(text)) if path.suffix == ".py" else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                said = node.body[0] if ast.get_docstring(node) else None
                length = node.end_lineno - node.lineno + 1 - (said.end_lineno - said.lineno + 1 if said else 0)
                if length > FUNCTION:
                    yield f"{name}:{node.lineno} {node.name} has {length} lines, at most {FUNCTION}"


def nameless(root):
    """Files and folders whose name says nothing."""
    for path in python_files(root):
        words = {part.lower().removesuffix(".py").removesuffix(".js") for part in path.relative_to(root).parts}
        if words & NAMELESS:
            yield str(path.relative_to(root))


def test_lengths():
    nothing(too_long(ROOT))


def test_names():
    nothing(nameless(ROOT))


def test_long_and_nameless_files_are_found(tmp_path):
    folder = tmp_path / "src" / "attend" / "utils"
    folder.mkdir(parents=True)
    body = "\n".join(f"    x{i} = {i}" for i in range(FUNCTION))
    (folder / "long.py").write_text(f"def long():\n{body}\n" + "y = 1\n" * FILE)
    (folder / "helpers.js").write_text("const x = 1;\n" * (FILE + 1))
    assert len(list(too_long(tmp_path))) == 3
    assert len(list(nameless(tmp_path))) == 2
