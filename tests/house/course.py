"""What the house tests look at: the tree of the course, its pages, and made-up pages on which a rule must fail."""

import ast
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attend_book import ROOT, notebook

PARTS = ("memory", "gating", "soft", "hard", "transformers")
PAGES = notebook.pages()


def page_name(path: Path) -> str:
    """`chapters/memory/coin.md`, as test ids and messages say it."""
    return path.relative_to(ROOT).as_posix()


def read(path: Path):
    """A page as its author writes it, with the outputs of its notebook."""
    return notebook.read(path)


def sources(root: Path = ROOT, package: str = "attend") -> list[Path]:
    """The Python files of the package, without caches."""
    return sorted((root / "src" / package).rglob("*.py"))


def systems(root: Path = ROOT) -> list[Path]:
    """The system files: one model each, in the rooms that are parts of the course."""
    return [p for p in sources(root) if p.parent.name in PARTS and p.name != "__init__.py"]


def syntax(cell) -> ast.Module:
    """A code cell as a syntax tree; lines that are IPython's own count as empty."""
    return notebook.syntax(cell.source)


def imported(nb) -> set[str]:
    """The names that the code cells of a page import, from modules or as modules."""
    nodes = [node for cell in nb.cells if cell.cell_type == "code" for node in ast.walk(syntax(cell))]
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def code(source: str, outputs=(), **metadata):
    """A made-up code cell."""
    return new_code_cell(source, outputs=list(outputs), metadata=metadata)


def prose(source: str):
    """A made-up markdown cell."""
    return new_markdown_cell(source)


def page(*cells, **metadata):
    """A made-up page."""
    return new_notebook(cells=list(cells), metadata=metadata)


def nothing(complaints) -> None:
    """Fail with every complaint on a line of its own; pass when there is none."""
    if found := list(complaints):
        pytest.fail(f"{len(found)} complaint(s):\n" + "\n".join(found), pytrace=False)
