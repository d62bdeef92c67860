"""Code as the site writes it: an element for a run of one colour, and each colour in the style sheet."""

import re
from io import StringIO

import pytest
from pygments import highlight
from pygments.lexers import PythonLexer

from attend_book import ROOT
from attend_book.site.builder import COLOURED, Coloured, kind

CODE = '''@checked
def step(x):
    """A step."""
    return f"{x + 1}" if x not in (None, 2) else "0"  # or 0.5
'''


def test_words_without_a_colour_are_plain_text():
    written = highlight(CODE, PythonLexer(), Coloured(nowrap=True))
    assert written.splitlines() == [
        '<span class="nd">@checked</span>',
        '<span class="k">def</span> <span class="nf">step</span>(x):',
        '    <span class="c">"""A step."""</span>',
        '    <span class="k">return</span> <span class="s">f"{</span>x + <span class="m">1</span>'
        '<span class="s">}"</span> <span class="k">if</span> x '
        '<span class="k">not</span> <span class="k">in</span> (<span class="k">None</span>, <span class="m">2</span>) '
        '<span class="k">else</span> <span class="s">"0"</span>  <span class="c"># or 0.5</span>',
    ]


@pytest.mark.parametrize("colour", sorted(set(COLOURED.values())), ids=str)
def test_the_style_sheet_colours_every_kind(colour):
    name = re.search('class="([a-z]+)"', highlight_of(colour))[1]
    styles = (ROOT / "book/_assets/css/50-code.css").read_text(encoding="utf-8")
    assert re.search(rf"\.highlight \.{name} {{[^}}]*\bcolor:", styles)


def highlight_of(colour):
    """One word of a kind, as it is written."""
    out = StringIO()
    Coloured(nowrap=True).format([(colour, "word")], out)
    assert kind(colour) is colour
    return out.getvalue()
