"""Pages are built by one command, which changes no byte without a reason and publishes nothing broken.

Notebooks run in a process of their own: a running browser owns this one's event loop.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from tests.book.texts import text

from attend_book import ROOT, notebook, pages, set_up, widgets

TEXT = """---
attend:
  question: What does the machine keep?
jupytext:
  text_representation:
    format_name: myst
myst:
  html_meta:
    description: A page that tries the machine.
---

# Title

Text with `code`, $x_t$ and {cite:t}`elman1990finding`.

+++

A second cell of text.

```{code-cell} ipython3
---
tags: [hide-input, wide]
mystnb:
  image:
    alt: 'A line: it rises from 1 to 2, and so on, and it is described at a length that breaks a line.'
---
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.show()
```

```{code-cell} ipython3
import random
from pathlib import Path

with open("runs.txt", "a") as runs:
    runs.write("run ")
print(len(str(random.random())) > 0)
object()
```

```{code-cell} ipython3
import anywidget
import traitlets

class Dial(anywidget.AnyWidget):
    _esm = "export default {}"
    at = traitlets.Int(3).tag(sync=True)
    data = traitlets.Bytes(b"abc").tag(sync=True)
    def __repr__(self): return "Dial"

unseen = Dial(at=1)
Dial(at=2)
```

```{exercise-start} One
:label: one
```

```{code-cell} ipython3
print("Not yet")
```

```{exercise-end}
```
"""


@pytest.fixture(scope="module", autouse=True)
def light(tmp_path_factory):
    """The kernels of these pages set up a torch that is there at once; the pages themselves need none."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "torch.py").write_text("def set_num_threads(count): ...")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "src"), str(folder))))
        yield


def run(*arguments):
    """`python -m attend_book …` in a process of its own."""
    command = [sys.executable, "-m", "attend_book", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def made(folder: Path, *cells: str, name="page") -> Path:
    """A text of code cells."""
    path = folder / f"{name}.md"
    path.write_text(text([(cell,) for cell in cells]))
    return path


def runs(page):
    """How often the page was run."""
    return (page.parent / "runs.txt").read_text().count("run ")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The text above, built."""
    path = tmp_path_factory.mktemp("page") / "page.md"
    path.write_text(TEXT)
    done = run("pages", path)
    assert done.returncode == 0, done.stdout + done.stderr
    return path


@pytest.mark.nightly
def test_a_text_says_cells_tags_metadata_and_lines(page):
    nb = notebook.written(page)
    assert [cell.cell_type for cell in nb.cells] == [
        "markdown",
        "markdown",
        *["code"] * 3,
        "markdown",
        "code",
        "markdown",
    ]
    assert nb.cells[2].metadata["tags"] == ["hide-input", "wide"]
    assert nb.cells[2].metadata["mystnb"]["image"]["alt"].startswith("A line: it rises")
    assert nb.metadata["attend"] == {"question": "What does the machine keep?"}
    assert nb.metadata["source_map"][-2] == TEXT.splitlines().index('print("Not yet")')


def test_the_built_notebook_sets_itself_up_first(page):
    first = nbformat.read(page.with_suffix(".ipynb"), as_version=4).cells[0]
    assert first.source == set_up.source()
    assert "pip install" in first.source
    assert first.metadata["tags"] == ["remove-cell"]


@pytest.mark.nightly
def test_a_second_build_changes_no_byte_and_runs_only_when_told(page):
    built, before = page.with_suffix(".ipynb"), runs(page)
    content = built.read_bytes()
    assert "outputs kept" in run("pages", page).stdout
    assert (built.read_bytes(), runs(page)) == (content, before)
    assert "executed" in run("pages", "--force", page).stdout
    assert (built.read_bytes(), runs(page)) == (content, before + 1)


def test_what_is_committed_is_normal(page):
    content = page.with_suffix(".ipynb").read_text()
    nb = json.loads(content)
    assert nb["metadata"]["kernelspec"]["name"] == "python3"
    assert set(nb["metadata"]) == {"attend", "kernelspec", "myst", "widgets"}
    assert set(nb["metadata"]["attend"]) == {"question", "run_seconds"}
    assert [cell["id"] for cell in nb["cells"]] == [f"cell-{n:02d}" for n in range(len(nb["cells"]))]
    counts = [cell["execution_count"] for cell in nb["cells"] if cell["cell_type"] == "code"]
    assert counts == [1, 2, 3, 4, 5]
    assert "<object at 0x…>" in content
    saved = widgets.models(nbformat.from_dict(nb))
    assert list(saved) == ["widget-01", "widget-02"]
    assert saved["widget-01"]["state"]["at"] == 2
    assert saved["widget-01"]["state"]["layout"] == "IPY_MODEL_widget-02"
    assert nb["metadata"]["attend"]["run_seconds"] in pages.RUN_SECONDS


def test_new_prose_keeps_the_outputs_and_runs_nothing(page, tmp_path, capsys):
    copy = tmp_path / "page.md"
    for name in ("page.ipynb", "pages.lock"):
        (tmp_path / name).write_bytes((page.parent / name).read_bytes())
    copy.write_text(TEXT.replace("A second cell of text.", "Other words.").replace("[hide-input, wide]", "[wide]"))
    assert pages.pages([str(copy)]) == 0
    assert "outputs kept" in capsys.readouterr().out
    assert not (tmp_path / "runs.txt").exists()
    old, new = (nbformat.read(path.with_suffix(".ipynb"), as_version=4) for path in (page, copy))
    assert [cell.get("outputs") for cell in new.cells] == [cell.get("outputs") for cell in old.cells]
    assert new.metadata["widgets"] == old.metadata["widgets"]
    assert "Other words." in new.cells[2].source
    assert new.cells[3].metadata["tags"] == ["wide"]


def test_outputs_belong_to_their_code_and_to_no_other(page):
    nb = notebook.written(page)
    first, *_, last = notebook.code(nb)
    first.source = first.source.replace("[1, 2]", "[2, 1]")
    notebook.take_outputs(nb, nbformat.read(page.with_suffix(".ipynb"), as_version=4))
    assert first.outputs == []
    assert last.outputs[0].text == "Not yet\n"
    assert notebook.not_run(nb) == [3]


@pytest.mark.nightly
def test_a_page_notes_the_files_that_it_reached(tmp_path):
    path = made(tmp_path, "from attend_book import ROOT", "import attend.live.linker")
    assert run("pages", path).returncode == 0
    lines = [
        line.split()[1] for line in (tmp_path / "pages.lock").read_text().splitlines() if line.startswith("page.md")
    ]
    assert lines == ["code", "src/attend/live/linker.py"]
    assert pages.stale(path) == []


@pytest.mark.nightly
def test_stale_pages_are_built_two_side_by_side(tmp_path):
    cell = "import time\nbegan = time.time()\ntime.sleep(3)\nopen({!r}, 'w').write(f'{{began}} {{time.time()}}')"
    texts = [made(tmp_path, cell.format(name), name=name) for name in ("one", "two")]
    done = run("pages", "-j", "2", *texts)
    assert done.returncode == 0, done.stdout + done.stderr
    (began, ended), (other, end) = (map(float, (tmp_path / name).read_text().split()) for name in ("one", "two"))
    assert began < end
    assert other < ended
    assert [pages.stale(path) for path in texts] == [[], []]


@pytest.mark.nightly
def test_a_build_that_is_killed_leaves_the_page_as_it_was_and_stale(tmp_path):
    path = made(tmp_path, "x = 1")
    assert run("pages", path).returncode == 0
    before = path.with_suffix(".ipynb").read_bytes()
    made(tmp_path, "open('begun', 'w').close()\nimport time\ntime.sleep(60)")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    running = subprocess.Popen(
        [sys.executable, "-m", "attend_book", "pages", str(path)], env=env, start_new_session=True
    )
    while not (tmp_path / "begun").exists():
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert path.with_suffix(".ipynb").read_bytes() == before
    assert pages.stale(path) == ["its code changed"]


BROKEN = {
    "raises": ("x = 1\nraise RuntimeError('broken')", "cell 2: RuntimeError: broken"),
    "nested": ("def f(x):\n    return 1 / x\n\nz = f(0)", "cell 2: ZeroDivisionError: division by zero"),
    "warns": ("import warnings\nwarnings.warn('careful')", "cell 2: it writes to stderr"),
    "told": ("import os\nprint(os.__file__)", "cell 2: a path of this machine is in its output"),
    "floods": ("while True:\n    print('x' * 1000)", "a cell writes more than 100000 characters"),
    "one_line": ("print('x' * 20_000_000)", "a cell writes more than 100000 characters"),
    "no_picture": (
        "from IPython.display import display\ndisplay({'image/png': 'https://elsewhere.test/a.png'}, raw=True)",
        "cell 2: a picture is no PNG: https://elsewhere.test/a.png",
    ),
    "syntax": ("x = (", "cell 2: SyntaxError"),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What `pages` says of broken texts, one good one among them, and where they lie."""
    folder = tmp_path_factory.mktemp("broken")
    texts = [made(folder, "y = 1", cell, name=name) for name, (cell, _) in BROKEN.items()]
    for path in texts[1:]:
        nbformat.write(nbformat.v4.new_notebook(), path.with_suffix(".ipynb"))
    return run("pages", *texts, made(folder, "1", name="good")), folder


@pytest.mark.nightly
def test_broken_pages_are_refused_by_cell_and_reason(refused):
    done, folder = refused
    assert done.returncode == 1
    assert "1 of 9 pages" in done.stdout
    assert "Traceback" not in done.stdout  # what a kernel that is stopped logs goes to stderr
    for name, (_, said) in BROKEN.items():
        assert f"{folder / name}.md, {said}" in done.stdout or f"{folder / name}.md: {said}" in done.stdout


@pytest.mark.nightly
def test_a_refused_page_stays_as_it_was_and_leaves_nothing_behind(refused):
    _, folder = refused
    pages_now = {path.stem: path.read_text() for path in folder.glob("*.ipynb")}
    assert set(pages_now) == {*BROKEN, "good"} - {"raises"}
    assert {text for name, text in pages_now.items() if name != "good"} == {pages_now["warns"]}
    assert '"cells": []' in pages_now["warns"]
    assert {path.suffix for path in folder.iterdir()} == {".ipynb", ".md", ".lock"}


@pytest.mark.nightly
def test_an_error_shows_its_lines_and_little_else(refused):
    done, _ = refused
    assert "----> 2     return 1 / x" in done.stdout
    assert "----> 4 z = f(0)" in done.stdout
    assert len(done.stdout.splitlines()) < 70


def test_a_missing_page_is_named(capsys):
    assert pages.pages([str(ROOT / "chapters/memory/nowhere.md")]) == 1
    assert "chapters/memory/nowhere.md: no such file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("measured", "recorded", "kept"),
    [(3, None, 5), (12, 20, 20), (12, 10, 10), (12, 5, 20), (3, 20, 5), (9999, None, 600)],
)
def test_run_times_are_coarse_and_stay(measured, recorded, kept):
    assert pages.run_seconds(measured, recorded) == kept
