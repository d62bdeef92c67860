"""Made-up pages: a text and, beside it, the notebook that a run of it would have left."""

import nbformat
import yaml
from nbformat.v4 import new_code_cell

from attend_book import notebook, widgets


def text(cells, **front):
    """MyST text of cells: prose as a string, code as a tuple of one string."""
    fences = [cell if isinstance(cell, str) else f"```{{code-cell}} python\n{cell[0]}\n```" for cell in cells]
    head = front | {"jupytext": {"text_representation": {"format_name": "myst"}}}
    return f"---\n{yaml.safe_dump(head)}---\n\n" + "\n\n+++\n\n".join(fences) + "\n"


def page(path, cells, outputs=(), models=None, **front):
    """Write the text `path` and its notebook, in which the last code cell has the outputs."""
    path.write_text(text(cells, **front))
    nb = notebook.written(path)
    nb.cells.insert(0, new_code_cell("set_up()", metadata={"tags": ["remove-cell"]}))
    for cell in notebook.code(nb):
        cell.execution_count = 1
    notebook.code(nb)[-1].outputs = list(outputs)
    saved = {widgets.STATE: {"state": models or {}}}
    nb.metadata = nbformat.from_dict({"attend": {"run_seconds": 120}, "widgets": saved})
    path.with_suffix(".ipynb").write_text(nbformat.writes(nb))
