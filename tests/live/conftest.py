"""A live figure: `compute` runs its forward pass in node, beside torch; `mount` puts it on a page, to be used.

def test_same_as_torch(compute):
    forward = compute(Elman(W, U, b))          # floats go in, plain JSON comes out
    assert forward({"x": [1, 0]})["h"] == pytest.approx(..., abs=1e-6)

def test_the_handle_moves_the_summary(mount):
    shown = mount(Elman(W, U, b))                               # shown.page, shown.root: Playwright's
    shown.root.get_by_role("slider", name="Input").press("ArrowRight")
    assert shown.value()["x"] == [1.05, 0]                      # what the figure last published
"""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.changes import changed

from attend.live import linker
from attend.live.figure import LiveFigure
from attend_book.node import node_program

PAPER = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Figure</title><style>html[data-theme=dark] { background: #181817 }</style><main id="here"></main></html>"""

MODEL = """state => {
    const bytes = Uint8Array.from(atob(state.buffer), letter => letter.charCodeAt(0));
    const heard = {};
    state.buffer = new DataView(bytes.buffer);
    return window.model = {
        get: name => state[name],
        set: (name, value) => { state[name] = value; },
        on: (name, call) => (heard[name] ??= []).push(call),
        off: () => {},
        save_changes: () => { window.published = JSON.parse(JSON.stringify(state.value)); },
    };
}"""


HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before -m looks at the markers
def pytest_collection_modifyitems(items):
    """What a figure computes is always asked; used in a browser is one that changed of late, and by night are all."""
    for item in items:
        if item.path.parent == HERE and "mount" in item.fixturenames and not _changed(item.path.stem[5:]):
            item.add_marker(pytest.mark.nightly)


def _changed(figure: str) -> bool:
    """Did the figure change of late, or what all figures share? Yes, where nobody knows."""
    if changed() is None:
        return True
    tests = {name for name in changed() if name.startswith("tests/live/")}
    code = {name for name in changed() if name.startswith("src/attend/live/")}
    own = {name for name in tests | code if name == f"tests/live/test_{figure}.py" or f"/live/{figure}/" in name}
    shared = {name for name in tests if "/test_" not in name} | {name for name in code if _shared(name)}
    return bool(own | shared)


def _shared(name: str) -> bool:
    """Is it a file that belongs to no figure?"""
    return not (HERE / f"test_{Path(name).parent.name}.py").exists()


@dataclass(frozen=True)
class Shown:
    """A figure that stands ready on a page of its own."""

    page: Page
    root: Locator

    def value(self) -> dict[str, Any] | None:
        """What the figure last published, as Python's side would get it; None before the first time."""
        return self.page.evaluate("window.published")


def load(page: Page, figure: LiveFigure) -> None:
    """Give the page the figure's script and its state, as they travel to a reader."""
    page.set_content(PAPER)
    page.add_style_tag(content=linker.style() + linker.own_style(figure.figure))
    page.add_script_tag(content=linker.bundle(figure.figure))
    page.evaluate(f"state => {{ ({MODEL})(state) }}", state(figure))


def state(figure: LiveFigure) -> dict[str, Any]:
    """What travels to a reader with a figure: its texts, its data and its tensors."""
    plain = ("figure", "alt", "invite", "data", "layout_of_tensors", "value")
    return {name: getattr(figure, name) for name in plain} | {"buffer": base64.b64encode(figure.buffer).decode()}


class Node:
    """A node process that holds figures and runs their `forward`: a line asks, a line answers."""

    def __init__(self, process: subprocess.Popen):
        self.process = process

    def ask(self, **request) -> Any:
        """What node made of a request; its exception is this test's."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "node ended"}')
        assert "error" not in answer, answer["error"]
        return answer["made"]


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """The node process of all figures of a run."""
    command = [node_program(), str(Path(__file__).with_name("figures.mjs"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        yield Node(process)
        process.stdin.close()


@pytest.fixture
def compute(node) -> Callable[[LiveFigure], Callable[[Any], Any]]:
    """`compute(figure)(input)`: the figure's `forward` in node; plain JSON goes in and comes out."""

    def ready(figure: LiveFigure) -> Callable[[Any], Any]:
        name = figure.figure
        number = node.ask(script=linker.bundle(name), name=name, state=state(figure))
        return lambda input: node.ask(number=number, input=input)

    return ready


@pytest.fixture
def mount(opened) -> Callable[..., Shown]:
    """`mount(figure, width=720, theme="light", **context)`: the figure, ready to be used, on a page of its own.

    context goes to Playwright: `has_touch=True`, `reduced_motion="reduce"`. Console trouble fails the test.
    """

    def show(figure: LiveFigure, *, width: int = 720, theme: str = "light", **context) -> Shown:
        page = opened(viewport={"width": width, "height": 900}, **context)
        load(page, figure)
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        page.evaluate("name => { attend.figures[name].render({ model, el: here }) }", figure.figure)
        root = page.locator(f'[data-figure="{figure.figure}"]')
        expect(root).to_have_attribute("data-ready", "true")
        return Shown(page, root)

    return show
