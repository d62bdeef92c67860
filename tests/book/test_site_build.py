"""Small books, built as the real one is: what a page may show, and what stops the build."""

import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.errors import ExtensionError

from attend_book import widgets
from attend_book.site import build, maths

CLAIM = {
    "id": "page.sum", "says": "One and one is $2$.", "source": "ours", "verdict": "holds only if",
    "only_if": "numbers are whole, as $n$", "measured": "`1 + 1` gives 2",
}  # fmt: skip
SLIDER = {"model_module": "@jupyter-widgets/controls", "model_name": "FloatSliderModel", "state": {}}
TEXT = """# A page

Euler: $e^{i\\pi} = -1$, and

$$
a = b
$$ (eq:ab)

:::{margin} Aside
A note.
:::

```{exercise-start} Add
:label: page-add
```

Add.

```{exercise-end}
```

```{solution-start} page-add
:label: page-add-solution
:class: dropdown
```

Done.

```{solution-end}
```
"""


@pytest.fixture
def book(tmp_path):
    """`book(text, outputs)` builds a book of a front page, one notebook and a ledger; gives (process, html folder)."""

    def make(text=TEXT, outputs=(), models=None, front="# Front\n\nWelcome.", after="The end."):
        for folder in ("book", "chapters"):
            (tmp_path / folder).mkdir()
        config = yaml.safe_load((build.ROOT / "_config.yml").read_text(encoding="utf-8"))
        config["sphinx"]["local_extensions"] = {"attend_book.site": str(build.ROOT / "src")}
        config["bibtex_bibfiles"] = ["book/references.bib"]
        (tmp_path / "_config.yml").write_text(yaml.safe_dump(config))
        chapters = [{"file": "chapters/page"}, {"file": "book/ledger"}]
        toc = {"format": "jb-book", "root": "book/intro", "parts": [{"caption": "Part", "chapters": chapters}]}
        (tmp_path / "_toc.yml").write_text(yaml.safe_dump(toc))
        (tmp_path / "book" / "references.bib").write_text("")
        shutil.copytree(build.ROOT / "book" / "_assets", tmp_path / "book" / "_assets")
        (tmp_path / "book" / "intro.md").write_text(front)
        ledger = "# Ledger\n\n```{ledger} summary\n```\n\n```{ledger} tables\n```\n"
        (tmp_path / "book" / "ledger.md").write_text(ledger)
        code = new_code_cell("1 + 1", outputs=list(outputs))
        nb = new_notebook(cells=[new_markdown_cell(text), code, new_markdown_cell(after)])
        nb.metadata["attend"] = {"question": "What?", "description": "All.", "reading_minutes": 3, "run_seconds": 5}
        nb.metadata["widgets"] = {widgets.STATE: {"state": models or {}}}
        write(nb, tmp_path / "chapters" / "page.ipynb")
        command = [sys.executable, "-c", build.JUPYTER_BOOK, "build", str(tmp_path), "-W", "-n", "--keep-going", "-q"]
        path = {**os.environ, "PYTHONPATH": str(build.ROOT / "src")}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=path, check=False)
        return done, tmp_path / "_build" / "html"

    return make


def test_a_page_is_drawn_with_all_its_parts(book):
    claim = new_output("display_data", {"text/plain": "x"}, metadata={"attend": {"claim": CLAIM}})
    done, html = book(outputs=[claim])
    assert done.returncode == 0, done.stdout + done.stderr
    page = (html / "chapters" / "page.html").read_text(encoding="utf-8")
    assert 'id="claim-page.sum"' in page
    assert re.search(r'<span class="verdict">holds only if numbers are whole, as <span class="math', page)
    assert page.count('class="katex-html"') >= 4
    assert re.findall(r'<script src="([^"]+)"', page) == ["../_static/mode.js", "../_static/site.js"]
    assert '<meta name="description" content="All.">' in page
    assert "3 min to read, 5 s to run" in page
    assert '<details class="solution"' in page.replace("aside ", "")
    assert 'class="margin' in page
    ledger = (html / "book" / "ledger.html").read_text(encoding="utf-8")
    assert 'href="../chapters/page.html#claim-page.sum"' in ledger
    assert "The book states 1 claim" in ledger
    assert (html / "chapters" / "page.ipynb").is_file()
    assert "Welcome." in (html / "index.html").read_text(encoding="utf-8")


def test_a_core_widget_stops_the_build_by_page_and_model(book):
    view = new_output("display_data", {widgets.VIEW: {"model_id": "abc"}})
    done, _ = book(outputs=[view], models={"abc": SLIDER})
    assert done.returncode != 0
    assert "chapters/page: widget abc is a @jupyter-widgets/controls.FloatSliderModel" in done.stdout + done.stderr


def test_what_must_not_be_published_stops_the_build(book):
    front = (
        '# Front\n\n<img src="https://elsewhere.test/x.png" alt="">\n\n[x](nowhere)\n\n'
        "```{live} chapters/page coin\n```\n"
    )
    done, _ = book(front=front)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "book/intro.html: https://elsewhere.test/x.png" in said
    assert "'nowhere'" in said
    assert "expected an executed page and a figure that it shows" in said


def test_a_fault_in_a_notebook_is_named_by_cell_and_line(book):
    claim = new_output("display_data", {"text/plain": "x"}, metadata={"attend": {"claim": CLAIM}})
    done, _ = book(outputs=[claim], text=f"{TEXT}\n[x](nowhere)\n", after="One.\n\nTwo, [y](neither).")
    assert done.returncode != 0
    line = TEXT.count("\n") + 2
    assert f"page.ipynb, cell 1, line {line}: WARNING" in done.stdout + done.stderr
    assert "page.ipynb, cell 3, line 3: WARNING" in done.stdout + done.stderr


def test_an_equation_that_katex_cannot_read_is_named():
    with pytest.raises(ExtensionError, match=r"intro: KaTeX cannot read .*nosuchcommand"):
        maths.KATEX.draw("\\nosuchcommand", False, "intro")
    assert "katex-html" in maths.KATEX.draw("x_t \\in \\R", False, "intro")
    maths.KATEX.close()


@pytest.mark.parametrize(
    ("latex", "kept"),
    [("\\operatorname{norm}(x + \\operatorname{part}(x))", True), ("a + b + c + d + e + f + g + h + i + j + k", False)],
)
def test_an_equation_that_is_drawn_short_stays_in_one_piece_with_its_point(latex, kept):
    body, builder = [], SimpleNamespace(current_docname="intro")
    with pytest.raises(nodes.SkipNode):
        maths.visit_inline(SimpleNamespace(body=body, builder=builder), nodes.math("", latex, end="."))
    maths.KATEX.close()
    assert body[0].startswith('<span class="math whole">') == kept
    assert body[0].endswith(".</span>")


def test_the_mounting_script_stays_small():
    import gzip

    script = (build.ROOT / "book" / "_assets" / "js" / "mount.js").read_bytes()
    assert len(gzip.compress(script)) < 2000


def test_the_configuration_asks_nobody():
    config = json.dumps(yaml.safe_load((build.ROOT / "_config.yml").read_text(encoding="utf-8")))
    assert "thebe" not in config
    assert '"execute_notebooks": "off"' in config
