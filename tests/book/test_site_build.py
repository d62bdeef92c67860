"""Two small books, built as the real one is: what a page shows, and what stops the build."""

import gzip
import re
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes
from nbformat.v4 import new_output
from sphinx.errors import ExtensionError
from tests.book.books import TEXT, built, small

from attend_book import OPEN, ROOT
from attend_book.site import maths

pytestmark = pytest.mark.nightly

CLAIM = {
    "id": "page.sum", "says": "One and one is $2$.", "source": "ours", "verdict": "holds only if",
    "heading": "holds only if numbers are whole, as $n$ (1 of 2 parts holds)",
    "measured": "`1 + 1` gives 2, <img src=x onerror=go()>",
    "fold": "How it was measured", "told": ["How to <i>read</i>", "5 such runs & <b>more</b>", "Measured here."],
    "quote": "", "kind": "measured here", "how": "def measured(): return 1 + 1",
}  # fmt: skip
SHOWN = new_output("display_data", {"text/plain": "x"}, metadata={"attend": {"claim": CLAIM}})
DIAGRAM = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 100"><path d="M0 50H300" stroke="currentColor"/></svg>'
)
WAYS = ("{raw} html\n:file: ../secret.txt", "{include} ../secret.txt", "{literalinclude} ../secret.txt")
FAULTY = f"""
[x](nowhere)

{OPEN}: a word more.

""" + "\n\n".join(f"```{way}\n```" for way in WAYS)
FRONT = """# Front

<img src="https://elsewhere.test/x.png" alt="">

<p onclick="go()">x</p>

```{live} chapters/page coin
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The folder of the built site of a book without a fault."""
    folder = tmp_path_factory.mktemp("book")
    small(folder, text=f"{TEXT}\n![A gate that is open.](gate.svg)\n", outputs=[SHOWN])
    (folder / "chapters" / "gate.svg").write_text(DIAGRAM)
    status, said = built(folder)
    assert status == 0, said
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What the build says of a book full of faults, the lines of its page, and its folder."""
    folder = tmp_path_factory.mktemp("faulty")
    small(folder, text=TEXT + FAULTY, outputs=[SHOWN], front=FRONT, after="Two, [y](neither).")
    (folder / "secret.txt").write_text("told to nobody")
    path = folder / "chapters" / "page.md"
    path.write_text(path.read_text().replace("1 + 1", "1 + 2"))
    status, said = built(folder)
    assert status != 0
    return said, path.read_text().splitlines(), folder


def test_a_page_is_drawn_with_all_its_parts(book):
    page = (book / "chapters" / "page.html").read_text(encoding="utf-8")
    assert 'id="claim-page.sum"' in page
    assert re.search(r'<span class="verdict">Holds only if numbers are whole, as <span class="math', page)
    assert "</span> (1 of 2 parts holds)</span>: " in page
    assert '<p class="made">How to &lt;i&gt;read' in page
    assert page.count('class="katex-html"') >= 4
    assert re.findall(r'<script src="([^"]+)"', page) == ["../_static/mode.js", "../_static/site.js"]
    assert '<meta name="description" content="All.">' in page
    assert "1 min to read, 2 min to run" in page
    assert '<details class="solution"' in page.replace("aside ", "")
    assert 'class="margin' in page
    assert 'href="../index.html"' in page
    assert (book / "chapters" / "page.ipynb").is_file()
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    slug, tag = config["repository"]["url"].removeprefix("https://github.com/"), config["repository"]["branch"]
    assert f'href="https://mybinder.org/v2/gh/{slug}/{tag}?urlpath=lab/tree/chapters/page.ipynb"' in page
    assert f'href="https://colab.research.google.com/github/{slug}/blob/{tag}/chapters/page.ipynb"' in page


def test_a_diagram_stands_in_the_text(book):
    page = (book / "chapters" / "page.html").read_text(encoding="utf-8")
    assert '<svg viewBox="0 0 320 100"' in page
    assert 'aria-label="A gate that is open."' in page
    assert "gate.svg" not in page


def test_the_ledger_leads_to_the_claim_and_reads_it_as_words(book):
    page, ledger = ((book / name).read_text(encoding="utf-8") for name in ("chapters/page.html", "book/ledger.html"))
    assert 'href="../chapters/page.html#claim-page.sum"' in ledger
    assert "The book states 1 claim" in ledger
    assert all("&lt;img src=x onerror=go()&gt;" in text for text in (page, ledger))
    assert '<form class="filters"' in ledger
    assert '<option value="source-ours">this course</option>' in ledger


def test_the_front_page_is_the_index(book):
    front = (book / "index.html").read_text(encoding="utf-8")
    assert 'href="chapters/page.html"' in front
    assert "Welcome." in front
    assert not (book / "book" / "intro.html").exists()


def test_what_must_not_be_published_is_named_by_page(refused):
    said, _, _ = refused
    assert "index.html: <img src> with 'https://elsewhere.test/x.png'" in said
    assert "index.html: <p onclick>" in said
    assert "expected an executed page and a figure that it shows" in said
    assert f"this page is not written yet: it says {OPEN}" in said


@pytest.mark.parametrize(
    "fault", ["[x](nowhere)", "Two, [y](neither).", "1 + 2", *(f"```{way.split(chr(10))[0]}" for way in WAYS)]
)
def test_a_fault_on_a_page_with_code_is_named_by_the_line_of_its_text(refused, fault):
    said, lines, _ = refused
    assert f"page.md:{lines.index(fault) + 1}: WARNING" in said


def test_no_directive_brings_in_a_file_of_this_machine(refused):
    _, _, folder = refused
    assert not any("told to nobody" in path.read_text() for path in folder.glob("_build/**/*.html"))


def test_an_equation_that_katex_cannot_read_is_named():
    with pytest.raises(ExtensionError, match=r"intro: KaTeX cannot read .*nosuchcommand"):
        maths.draw("\\nosuchcommand", False, "intro")
    assert "katex-html" in maths.draw("x_t \\in \\R", False, "intro")
    maths.close()


@pytest.mark.parametrize(
    ("latex", "kept"),
    [("\\operatorname{norm}(x + \\operatorname{part}(x))", True), ("a + b + c + d + e + f + g + h + i + j + k", False)],
)
def test_an_equation_that_is_drawn_short_stays_in_one_piece_with_its_point(latex, kept):
    body, builder = [], SimpleNamespace(current_docname="intro")
    with pytest.raises(nodes.SkipNode):
        maths.visit_inline(SimpleNamespace(body=body, builder=builder), nodes.math("", latex, end="."))
    maths.close()
    assert body[0].startswith('<span class="math whole">') == kept
    assert body[0].endswith(".</span>")


def test_the_mounting_script_stays_small():
    script = (ROOT / "book" / "_assets" / "js" / "mount.js").read_bytes()
    assert len(gzip.compress(script)) < 2000
