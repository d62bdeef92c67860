"""The package's own source on a page."""

import builtins
import dis
import importlib
import inspect
import sys
import types
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import attend
from attend.figures import code
from attend.figures.code import listing, show_source
from attend.gating.lstm import LSTM
from attend.memory.coin import Tally
from attend_book import ROOT

FOLDER = Path(attend.__file__).parent
PARTS = ("memory", "gating", "soft", "hard", "transformers")
SYSTEMS = [f"attend.{part}.{path.stem}" for part in PARTS for path in sorted((FOLDER / part).glob("[a-z]*.py"))]


@pytest.fixture
def shown(displayed):
    return displayed(code)


def pasted(text):
    """What a text defines when it is run in an empty file."""
    space = {"__name__": "pasted"}
    exec(compile(text, "<pasted>", "exec"), space)
    return space


def lost(program, space):
    """The names that a compiled text would look for in vain."""
    for said in dis.get_instructions(program):
        if said.opname == "LOAD_GLOBAL" and said.argval not in space and not hasattr(builtins, said.argval):
            yield said.argval
    for inner in program.co_consts:
        if isinstance(inner, types.CodeType):
            yield from lost(inner, space)


ABOVE = {"attend.transformers.parser": "END, WORD, CLOSE, OPEN = 0, 1, 2, 3"}
"""What a page defines in a cell of its own before the listing, for other cells use it, too."""


@pytest.mark.parametrize("name", ABOVE)
def test_what_a_listing_needs_stands_above_it(name):
    part, page = name.split(".")[1:]
    assert ABOVE[name] in (ROOT / "chapters" / part / f"{page}.md").read_text("utf-8")


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_listing_of_a_system_runs_where_it_is_pasted(name, shown):
    module = importlib.import_module(name)
    for thing in vars(module).values():
        if inspect.isclass(thing) or inspect.isfunction(thing):
            if thing.__module__ != name:
                continue
            show_source(thing, imports=True)
            text = "\n".join((ABOVE.get(name, ""), shown[-1].replace("```python", "").replace("```", "")))
            assert '"""' not in text
            assert "@checked" not in text
            space = pasted(text)
            assert not list(lost(compile(text, "<pasted>", "exec"), space)), thing


def test_what_is_pasted_computes_the_same(shown):
    import torch

    show_source(LSTM, imports=True)
    other = pasted(shown[0].replace("```python", "").replace("```", ""))["LSTM"]
    mine, theirs = (made(2, 3, generator=torch.Generator().manual_seed(0)) for made in (LSTM, other))
    x = torch.rand(4, 5, 2, generator=torch.Generator().manual_seed(1))
    assert torch.equal(mine(x)[0], theirs(x)[0])


SOURCE = """@checked(may_be_nonfinite=("x",))
@torch.no_grad()
def shown(
    self, x: Float[Tensor, "B T"], *rest: int, scale: float = 1.0, mask: Mask["B T"] | None = None, **more: Any
) -> tuple[int, int]:  # a tuple: two numbers
    \"\"\"What it is.

    Raises nothing.
    \"\"\"

    # é: why
    total: int = 0  # from nothing
    later: str
    for one in rest:
        total += {"a": one}["a"]
    return x, total
"""
PLAIN = """@torch.no_grad()
def shown(self, x, *rest, scale=1.0, mask=None, **more):  # a tuple: two numbers
    # é: why
    total = 0  # from nothing
    for one in rest:
        total += {"a": one}["a"]
    return x, total"""


def test_checks_docstrings_and_annotations_go_and_comments_stay():
    assert listing(SOURCE) == PLAIN
    assert listing(PLAIN) == PLAIN


def test_a_long_signature_has_an_argument_a_line():
    names = [f"argument_{n}" for n in range(7)]
    assert listing(f"def shown({': int, '.join(names)}: int) -> int:\n    return 1").splitlines() == [
        "def shown(", *(f"    {name}," for name in names), "):", "    return 1",
    ]  # fmt: skip


def test_fields_keep_their_types_and_lose_their_shapes():
    text = 'class State(NamedTuple):\n    """It."""\n\n    h: Float[Tensor, "B H"] | None\n    n: int = 3'
    assert listing(text) == "class State(NamedTuple):\n    h: Tensor | None\n    n: int = 3"
    assert listing('class Wrong(Exception):\n    """It."""') == "class Wrong(Exception):\n    ..."


def test_docstrings_on_demand_and_several_objects(shown):
    show_source(Tally, LSTM.step, docstring=True)
    assert "Laplace's rule" in shown[0]
    assert shown[0].count("```python") == 2


def test_a_listing_goes_into_a_cell_to_be_changed(shown, monkeypatch):
    shell = InteractiveShell()
    monkeypatch.setattr(code, "get_ipython", lambda: shell)
    show_source(LSTM, edit=True)
    assert shown == []
    assert shell.run_cell(shell.rl_next_input + "\ncell = LSTM(2, 3)").success
    assert type(shell.user_ns["cell"]).__module__ == shell.user_ns["__name__"]


def test_colab_which_makes_no_cells_shows_what_is_to_be_copied(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("colab"))
    show_source(LSTM, edit=True)
    assert "import torch" in shown[0]


def test_what_has_no_source_is_refused():
    with pytest.raises(ValueError, match="objects: got <built-in function len>"):
        show_source(len)


def calls():
    return {
        listing: {"source": "def one():\n    return 1\n"},
        code.show_source: {"docstring": True},
    }


def test_what_only_refuses_an_argument_is_left_out():
    source = """
def half(x):
    \"\"\"Half of x.\"\"\"
    expect(x > 0, "x", x, "a positive number")
    y = x / 2

    finite("y", y)
    return y


def fits(x):
    expect(x > 0, "x", x, "a positive number")
"""
    text = listing(source)
    assert pasted(text)["half"](-4) == -2
    assert "expect" in inspect.cleandoc(text).split("def fits")[1]  # a function needs a body
