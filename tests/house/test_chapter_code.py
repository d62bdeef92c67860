"""A page shows little code and defines no model: that is the package's work."""

import ast

import pytest
from tests.house.course import PAGES, code, nothing, page, page_name, prose, read, syntax

from attend_book.notebook import hidden

VISIBLE = 15
MODULES = {"Module", "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell", "Linear", "Sequential"}


def broken(nb):
    """What the code cells of a page do that a page must not do."""
    for number, cell in enumerate(nb.cells, 1):
        if cell.cell_type != "code":
            continue
        lines = len(cell.source.splitlines())
        if lines > VISIBLE and not hidden(cell):
            yield f"cell {number}: {lines} visible lines, at most {VISIBLE}"
        for node in ast.walk(syntax(cell)):
            if isinstance(node, ast.ClassDef) and {name_of(base) for base in node.bases} & MODULES:
                yield f"cell {number}: the model class {node.name} belongs into the package"
            if isinstance(node, ast.keyword) and node.arg == "figsize":
                yield f"cell {number}: figsize (sizes are chosen in attend.figures)"


def name_of(base):
    """The last word of a base class: `Module` of `nn.Module`."""
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_code(path):
    nothing(broken(read(path)))


def test_models_sizes_and_long_cells_are_found():
    long = "\n".join(f"x{i} = {i}" for i in range(VISIBLE + 1))
    model = "class Unit(nn.Module):\n    pass"
    bad = page(prose("# T"), code(long), code(model), code("plt.subplots(figsize=(1, 2))"))
    assert [line.split(":")[0] for line in broken(bad)] == ["cell 2", "cell 3", "cell 4"]
    assert list(broken(page(code(long, tags=["hide-input"]), code("%matplotlib inline\nclass Note(dict): ...")))) == []
