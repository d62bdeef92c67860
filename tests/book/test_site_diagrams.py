"""A diagram stands in its page, follows its colours, and brings nothing that runs or asks elsewhere."""

import pytest
from sphinx.errors import ExtensionError

from attend_book.site.diagrams import inlined

GOOD = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 320 100">
  <title>A gate</title><style>text { fill: red } @media (prefers-color-scheme: dark) { text { fill: white } }</style>
  <defs><marker id="tip" viewBox="0 0 4 4"><path d="M0 0 4 2 0 4z" fill="currentColor"/></marker></defs>
  <path d="M0 50H300" stroke="currentColor" marker-end="url(#tip)"/><use xlink:href="#tip"/>
  <text x="10" y="20" font-size="14" fill="currentColor">h &lt; 1</text>
</svg>"""


@pytest.fixture
def drawn(tmp_path):
    def draw(text, alt="A gate."):
        path = tmp_path / "gate.svg"
        path.write_text(text)
        return inlined(path, alt)

    return draw


def test_a_diagram_follows_the_page_and_says_what_it_shows(drawn):
    svg = drawn(GOOD, 'A gate, "open".')
    assert svg.startswith("<svg ")
    assert 'role="img"' in svg
    assert 'aria-label="A gate, &quot;open&quot;."' in svg
    assert "currentColor" in svg
    assert "<style" not in svg
    assert "<title" not in svg
    assert "h &lt; 1</text>" in svg


def test_two_diagrams_of_a_page_share_no_name(drawn):
    svg = drawn(GOOD)
    assert 'id="gate-tip"' in svg
    assert "url(#gate-tip)" in svg
    assert 'href="#gate-tip"' in svg


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        ("<path d=", "<script>1</script><path d=", "<script>"),
        ("<path d=", '<image href="x.png"/><path d=', "<image>"),
        ("<path d=", "<foreignObject/><path d=", "<foreignobject>"),
        ("<path d=", '<path onload="x()" d=', "onload"),
        ("url(#tip)", "url(https://elsewhere.test/x.svg#tip)", "elsewhere"),
        ('xlink:href="#tip"', 'xlink:href="other.svg#tip"', "other.svg"),
        ('font-size="14"', 'font-size="6"', "letters of 6.0 px on a phone"),
        ("0 0 320 100", "0 0 640 100", "letters of 7.2 px on a phone"),
        ('viewBox="0 0 320 100"', 'width="320"', "no viewBox"),
        ("</svg>", "", "is no SVG"),
    ],
)
def test_what_may_not_stand_in_a_page_is_refused_by_file_and_name(drawn, there, instead, said):
    with pytest.raises(ExtensionError, match=r"gate\.svg: ") as refused:
        drawn(GOOD.replace(there, instead, 1))
    assert said in str(refused.value)


def test_a_diagram_without_words_is_refused(drawn):
    with pytest.raises(ExtensionError, match="no alt text"):
        drawn(GOOD, "")
