"""Pages are written by one command, which changes no byte without a reason and publishes nothing broken.

Notebooks run in a process of their own: a running browser owns this one's event loop.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from attend_book import ROOT, notebook, pages, shape, widgets

DRAFT = """---
attend:
  question: What does the machine keep?
myst:
  html_meta:
    description: A page that tries the machine.
---

```{code-cell} ipython3
:tags: [remove-cell]

if False:
    %pip install nothing
```

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


def run(*arguments):
    """`python -m attend_book …` in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "attend_book", *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


def made(folder: Path, *cells: str, name="page") -> Path:
    """A draft of code cells."""
    draft = folder / f"{name}.md"
    draft.write_text("\n\n".join(f"```{{code-cell}} ipython3\n{cell}\n```" for cell in cells))
    return draft


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The draft above, made into a page."""
    draft = tmp_path_factory.mktemp("page") / "page.md"
    draft.write_text(DRAFT)
    done = run("pages", draft)
    assert done.returncode == 0, done.stdout + done.stderr
    return draft.with_suffix(".ipynb")


def test_a_draft_keeps_cells_tags_and_metadata():
    nb = notebook.from_draft(DRAFT)
    again = notebook.from_draft(notebook.to_draft(nb))
    kept = [(cell.cell_type, cell.source, cell.metadata) for cell in nb.cells]
    assert [(cell.cell_type, cell.source, cell.metadata) for cell in again.cells] == kept
    assert again.metadata["attend"] == {"question": "What does the machine keep?"}
    assert again.metadata["myst"] == nb.metadata["myst"]
    assert notebook.to_draft(again) == notebook.to_draft(nb)
    assert nb.cells[0].source.endswith("    %pip install nothing")


def test_a_second_run_changes_no_byte(page):
    before = page.read_bytes()
    runs = (page.parent / "runs.txt").read_text()
    done = run("pages", page)
    assert "unchanged" in done.stdout
    assert page.read_bytes() == before
    assert (page.parent / "runs.txt").read_text() == runs + "run "


def test_what_is_committed_is_normal(page):
    nb = json.loads(page.read_text())
    assert nb["metadata"]["kernelspec"]["name"] == "python3"
    assert "language_info" not in nb["metadata"]
    assert [cell["id"] for cell in nb["cells"]] == [f"cell-{n:02d}" for n in range(1, len(nb["cells"]) + 1)]
    counts = [cell["execution_count"] for cell in nb["cells"] if cell["cell_type"] == "code"]
    assert counts == [1, 2, 3, 4, 5]
    assert "<object at 0x…>" in page.read_text()
    saved = widgets.models(nbformat.from_dict(nb))
    assert list(saved) == ["widget-01", "widget-02"]
    assert saved["widget-01"]["state"]["at"] == 2
    assert saved["widget-01"]["state"]["layout"] == "IPY_MODEL_widget-02"
    assert nb["metadata"]["attend"]["reading_minutes"] >= 1
    assert nb["metadata"]["attend"]["run_seconds"] in pages.RUN_SECONDS


def test_new_prose_keeps_the_outputs_and_runs_nothing(page, capsys):
    runs = (page.parent / "runs.txt").read_text()
    draft, made = page.with_name("prose.md"), page.with_name("prose.ipynb")
    made.write_bytes(page.read_bytes())
    draft.write_text(DRAFT.replace("A second cell of text.", "Other words.").replace("[hide-input, wide]", "[wide]"))
    assert pages.pages([str(draft)]) == 0
    assert "prose only" in capsys.readouterr().out
    assert (page.parent / "runs.txt").read_text() == runs
    old, new = (nbformat.read(path, as_version=4) for path in (page, made))
    assert [cell.get("outputs") for cell in new.cells] == [cell.get("outputs") for cell in old.cells]
    assert new.metadata["widgets"] == old.metadata["widgets"]
    assert "Other words." in new.cells[2].source
    assert new.cells[3].metadata["tags"] == ["wide"]


def test_a_draft_that_was_edited_is_not_overwritten(page, capsys):
    draft = page.with_name("kept.md")
    page.with_name("kept.ipynb").write_bytes(page.read_bytes())
    assert pages.draft([str(draft.with_suffix(".ipynb"))]) == 0
    written = draft.read_text()
    draft.write_text(written + "\nMore.\n")
    assert pages.draft([str(draft)]) == 1
    assert "differs from the page" in capsys.readouterr().out
    assert pages.draft([str(draft), "--force"]) == 0
    assert draft.read_text() == written


def test_the_draft_of_a_page_that_is_not_there_has_the_bones_of_every_page(tmp_path):
    assert pages.draft([str(tmp_path / "new.ipynb")]) == 0
    nb = notebook.read(tmp_path / "new.md")
    assert nb.cells[0].source == notebook.read(notebook.pages()[0]).cells[0].source
    assert nb.cells[0].metadata["tags"] == ["remove-cell"]
    assert nb.metadata["attend"] == {"question": "", "description": ""}
    headings = [line for cell in nb.cells[1:] for line in cell.source.splitlines() if line.startswith("#")]
    assert headings == ["# Title", *(f"## {heading}" for heading in shape.ENDING)]


def test_bones_that_are_run_are_told_what_they_lack(tmp_path):
    assert pages.draft([str(tmp_path / "new.ipynb")]) == 0
    said = run("pages", tmp_path / "new.md").stdout
    assert "not whole yet: it shows no live figure" in said
    assert "not whole yet: front matter: attend.question" in said
    assert "not whole yet: _toc.yml does not name it" in said
    assert "its first cell" not in said


BROKEN = {
    "raises": ("x = 1\nraise RuntimeError('broken')", "cell 2: RuntimeError: broken"),
    "nested": ("def f(x):\n    return 1 / x\n\nz = f(0)", "cell 2: ZeroDivisionError: division by zero"),
    "warns": ("import warnings\nwarnings.warn('careful')", "cell 2: it writes to stderr"),
    "told": ("import os\nprint(os.__file__)", "cell 2: a path of this machine is in its output"),
    "syntax": ("x = (", "cell 2 is not Python"),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What `pages` says of broken drafts, one good draft among them, and where they lie."""
    folder = tmp_path_factory.mktemp("broken")
    drafts = [made(folder, "y = 1", cell, name=name) for name, (cell, _) in BROKEN.items()]
    for draft in drafts[1:]:
        nbformat.write(nbformat.v4.new_notebook(), draft.with_suffix(".ipynb"))
    return run("pages", *drafts, made(folder, "1", name="good")), folder


def test_broken_pages_are_refused_by_cell_and_reason(refused):
    done, folder = refused
    assert done.returncode == 1
    assert "1 of 6 pages" in done.stdout
    assert "Traceback" not in done.stdout  # what a kernel that is stopped logs goes to stderr
    for name, (_, said) in BROKEN.items():
        assert f"{folder / name}.ipynb, {said}" in done.stdout or f"{folder / name}.md: {said}" in done.stdout


def test_a_refused_page_stays_as_it_was_and_leaves_nothing_behind(refused):
    _, folder = refused
    pages_now = {path.stem: path.read_text() for path in folder.glob("*.ipynb")}
    assert set(pages_now) == {*BROKEN, "good"} - {"raises"}
    assert {text for name, text in pages_now.items() if name != "good"} == {pages_now["warns"]}
    assert '"cells": []' in pages_now["warns"]
    assert {path.suffix for path in folder.iterdir()} == {".ipynb", ".md"}


def test_an_error_shows_its_lines_and_little_else(refused):
    done, _ = refused
    assert ">   2      return 1 / x" in done.stdout
    assert ">   4  z = f(0)" in done.stdout
    assert len(done.stdout.splitlines()) < 50


def test_no_part_of_a_file_is_ever_seen(tmp_path, monkeypatch):
    target = tmp_path / "page.ipynb"
    target.write_text("old")

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(notebook.os, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        notebook.write_whole(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_page_is_named(capsys):
    assert pages.pages([str(ROOT / "chapters/memory/nowhere.ipynb")]) == 1
    assert "chapters/memory/nowhere.ipynb: no such file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("measured", "recorded", "kept"),
    [(3, None, 5), (12, 20, 20), (12, 10, 10), (12, 5, 20), (3, 20, 5), (9999, None, 600)],
)
def test_run_times_are_coarse_and_stay(measured, recorded, kept):
    assert pages.run_seconds(measured, recorded) == kept


def test_large_pictures_are_noticed():
    output = nbformat.v4.new_output("display_data", {"image/png": "A" * 100_000})
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("draw()", outputs=[output])])
    assert list(notebook.notices(nb)) == ["cell 1: a picture of 75 kB (aim: 60 kB)"]
