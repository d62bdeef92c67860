"""Small books, built as the real one is: what a page may show, and what stops the build."""

import json
import re
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes
from nbformat.v4 import new_output
from sphinx.errors import ExtensionError
from tests.book.books import TEXT, built, small

from attend_book import ROOT, widgets
from attend_book.site import maths

CLAIM = {
    "id": "page.sum", "says": "One and one is $2$.", "source": "ours", "verdict": "holds only if",
    "only_if": "numbers are whole, as $n$", "measured": "`1 + 1` gives 2, <img src=x onerror=go()>",
}  # fmt: skip
SLIDER = {"model_module": "@jupyter-widgets/controls", "model_name": "FloatSliderModel", "state": {}}


@pytest.fixture
def book(tmp_path):
    """`book(**parts)` writes a small book and builds it; gives (exit status, what was said, html folder)."""

    def make(**parts):
        small(tmp_path, **parts)
        return *built(tmp_path), tmp_path / "_build" / "html"

    return make


def test_a_page_is_drawn_with_all_its_parts(book):
    claim = new_output("display_data", {"text/plain": "x"}, metadata={"attend": {"claim": CLAIM}})
    status, said, html = book(outputs=[claim])
    assert status == 0, said
    page = (html / "chapters" / "page.html").read_text(encoding="utf-8")
    assert 'id="claim-page.sum"' in page
    assert re.search(r'<span class="verdict">holds only if numbers are whole, as <span class="math', page)
    assert page.count('class="katex-html"') >= 4
    assert re.findall(r'<script src="([^"]+)"', page) == ["../_static/mode.js", "../_static/site.js"]
    assert '<meta name="description" content="All.">' in page
    assert "1 min to read, 2 min to run" in page
    assert '<details class="solution"' in page.replace("aside ", "")
    assert 'class="margin' in page
    ledger = (html / "book" / "ledger.html").read_text(encoding="utf-8")
    assert 'href="../chapters/page.html#claim-page.sum"' in ledger
    assert "The book states 1 claim" in ledger
    assert all("&lt;img src=x onerror=go()&gt;" in text for text in (page, ledger))
    front = (html / "index.html").read_text(encoding="utf-8")
    assert 'href="chapters/page.html"' in front
    assert 'href="../index.html"' in page
    assert not (html / "book" / "intro.html").exists()
    assert (html / "chapters" / "page.ipynb").is_file()
    assert "Welcome." in front


def test_a_core_widget_stops_the_build_by_page_and_model(book):
    view = new_output("display_data", {widgets.VIEW: {"model_id": "abc"}})
    status, said, _ = book(outputs=[view], models={"abc": SLIDER})
    assert status != 0
    assert "chapters/page: widget abc is a @jupyter-widgets/controls.FloatSliderModel" in said


def test_an_output_that_brings_in_a_script_stops_the_build_by_page_and_cell(book):
    output = new_output("display_data", {"text/html": "<svg/onload=go()>"})
    status, said, _ = book(outputs=[output])
    assert status != 0
    assert "an output may not hold <svg onload>" in said


def test_what_must_not_be_published_stops_the_build(book):
    front = (
        '# Front\n\n<img src="https://elsewhere.test/x.png" alt="">\n\n<p onclick="go()">x</p>\n\n[x](nowhere)\n\n'
        "```{live} chapters/page coin\n```\n"
    )
    status, said, _ = book(front=front)
    assert status != 0
    assert "index.html: <img src> with 'https://elsewhere.test/x.png'" in said
    assert "index.html: <p onclick>" in said
    assert "'nowhere'" in said
    assert "expected an executed page and a figure that it shows" in said


def test_a_fault_on_a_page_with_code_is_named_by_the_line_of_its_text(book, tmp_path):
    claim = new_output("display_data", {"text/plain": "x"}, metadata={"attend": {"claim": CLAIM}})
    status, said, _ = book(outputs=[claim], text=f"{TEXT}\n[x](nowhere)\n", after="One.\n\nTwo, [y](neither).")
    assert status != 0
    lines = (tmp_path / "chapters" / "page.md").read_text().splitlines()
    for fault in ("[x](nowhere)", "Two, [y](neither)."):
        assert f"page.md:{lines.index(fault) + 1}: WARNING" in said


def test_code_that_the_notebook_did_not_run_stops_the_build(tmp_path):
    small(tmp_path)
    text = tmp_path / "chapters" / "page.md"
    text.write_text(text.read_text().replace("1 + 1", "1 + 2"))
    status, said = built(tmp_path)
    assert status != 0
    line = text.read_text().splitlines().index("1 + 2") + 1
    assert f"page.md:{line}: WARNING: the notebook of this page did not run this cell" in said


def test_no_directive_brings_in_a_file_of_this_machine(book, tmp_path):
    (tmp_path / "secret.txt").write_text("told to nobody")
    ways = ("{raw} html\n:file: ../secret.txt", "{include} ../secret.txt", "{literalinclude} ../secret.txt")
    status, said, _ = book(text="\n\n".join(["# A page", *(f"```{way}\n```" for way in ways)]))
    assert status != 0
    lines = (tmp_path / "chapters" / "page.md").read_text().splitlines()
    assert all(f"page.md:{lines.index('```' + way.partition(chr(10))[0]) + 1}: WARNING" in said for way in ways), said
    assert not any("told to nobody" in path.read_text() for path in tmp_path.glob("_build/**/*.html"))


def test_an_equation_that_katex_cannot_read_is_named():
    with pytest.raises(ExtensionError, match=r"intro: KaTeX cannot read .*nosuchcommand"):
        maths.draw("\\nosuchcommand", False, "intro")
    assert "katex-html" in maths.draw("x_t \\in \\R", False, "intro")


@pytest.mark.parametrize(
    ("latex", "kept"),
    [("\\operatorname{norm}(x + \\operatorname{part}(x))", True), ("a + b + c + d + e + f + g + h + i + j + k", False)],
)
def test_an_equation_that_is_drawn_short_stays_in_one_piece_with_its_point(latex, kept):
    body, builder = [], SimpleNamespace(current_docname="intro")
    with pytest.raises(nodes.SkipNode):
        maths.visit_inline(SimpleNamespace(body=body, builder=builder), nodes.math("", latex, end="."))
    assert body[0].startswith('<span class="math whole">') == kept
    assert body[0].endswith(".</span>")


def test_the_mounting_script_stays_small():
    import gzip

    script = (ROOT / "book" / "_assets" / "js" / "mount.js").read_bytes()
    assert len(gzip.compress(script)) < 2000


def test_the_configuration_asks_nobody():
    config = json.dumps(yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8")))
    assert "thebe" not in config
    assert '"execute_notebooks": "off"' in config
