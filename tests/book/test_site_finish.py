"""The last look at a built site: requests to other hosts are found, equations keep their letters."""

import shutil
from io import BytesIO

import pytest
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from attend_book.site import finish


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.test/x.js"></script>'),
        ("a.html", '<img src="//cdn.test/x.png">'),
        ("a.html", '<link rel="stylesheet" href="https://cdn.test/x.css">'),
        ("a.html", '<link rel="preload" href="HTTPS://cdn.test/x.woff2">'),
        ("a.html", '<iframe src="https://cdn.test/"></iframe>'),
        ("a.html", "<p style=\"background: url('https://cdn.test/x.png')\">x</p>"),
        ("a.html", "<style>@import 'https://cdn.test/x.css';</style>"),
        ("a.html", '<script>fetch("https://cdn.test/data")</script>'),
        ("a.css", "@import url(https://cdn.test/x.css);"),
        ("a.css", "@media (width > 1px) { a { background: url(//cdn.test/x.png) } }"),
        ("a.css", '@font-face { src: url("https://cdn.test/x.woff2") format("woff2"); }'),
        ("a.js", "import('https://cdn.test/x.js')"),
        ("a.js", "const socket = `wss://cdn.test/live`"),
    ],
)
def test_every_way_to_ask_another_host_is_found(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert any("cdn.test" in line for line in finish.strangers(tmp_path)), text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<a href="https://elsewhere.test/">a link is no request</a>'),
        ("a.html", '<link rel="canonical" href="https://own.test/a.html">'),
        ("a.html", '<script src="../_static/x.js"></script><img src="data:image/png;base64,AA==">'),
        ("a.html", '<math xmlns="http://www.w3.org/1998/Math/MathML"></math>'),
        ("a.css", "/* https://cdn.test */ a { background: url(x.png) }"),
        ("a.js", "// see https://elsewhere.test\nconst SVG = 'http://www.w3.org/2000/svg';"),
        ("a.js", "/* 'https://elsewhere.test' */ const half = 1 / 2;"),
    ],
)
def test_what_is_no_request_is_left_alone(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert finish.strangers(tmp_path) == []


def test_squeezing_keeps_the_rules():
    css = "/* note */\na , b {\n  color : red ;\n  width: calc(1px + 2px);\n}\n"
    assert finish.squeeze(css) == "a,b{color : red;width: calc(1px + 2px)}"


def test_a_broken_style_sheet_stops_the_build():
    with pytest.raises(ExtensionError, match="style sheet, line 2"):
        finish.squeeze("a { color: red }\nb")


def test_equation_fonts_keep_just_what_is_written(tmp_path):
    shutil.copytree(finish.ASSETS / "katex" / "fonts", tmp_path / "katex")
    (tmp_path / "attend.css").write_text("a{b:c}")
    page = '<p>zebra</p><span class="katex"><span class="katex-html"><span>x</span>=<span>∏</span></span></span>'
    finish.equations(tmp_path, [page])
    letters = TTFont(BytesIO((tmp_path / "katex" / "KaTeX_Math-Italic.woff2").read_bytes())).getBestCmap()
    assert ord("x") in letters
    assert ord("z") not in letters
    assert not (tmp_path / "katex" / "KaTeX_Size4-Regular.woff2").exists()
    left = (tmp_path / "attend.css").read_text()
    assert left.startswith("a{b:c}")
    assert ".katex-html" in left
    assert ".msupsub" not in left
    assert "KaTeX_Size4-Regular.woff2" not in left
    assert "KaTeX_Math-Italic.woff2" in left


def test_rules_for_classes_that_no_page_has_are_dropped():
    css = ".a .b, .c { x: y } .d { x: y } h1 { x: y } @media print { .d { x: y } }"
    css += ".a:not(.e) { x: y } .f:not(.a) { x: y }"
    left = finish.squeeze(finish.purged(css, {"a", "b"}))
    assert ".c" not in left
    assert ".a .b" in left
    assert "h1" in left
    assert ".a:not(.e)" in left
    assert ".f" not in left
    assert left.count(".d") == 1


def test_the_front_page_answers_at_the_root_of_the_site(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "chapters").mkdir()
    intro = '<html data-content_root="../"><a href="../chapters/coin.html#x">c</a><a href="intro.html">i</a>'
    (tmp_path / "book" / "intro.html").write_text(intro + '<img src="../_static/a.png"><a href="https://x.test/">e</a>')
    (tmp_path / "chapters" / "coin.html").write_text('<a href="../book/intro.html#top">home</a>')
    finish.front(tmp_path, "book/intro")
    index = (tmp_path / "index.html").read_text()
    assert 'href="chapters/coin.html#x"' in index
    assert 'src="_static/a.png"' in index
    assert 'href="https://x.test/"' in index
    assert 'href="index.html"' in index
    assert 'data-content_root="./"' in index
    assert 'href="../index.html#top"' in (tmp_path / "chapters" / "coin.html").read_text()


def test_files_that_nothing_names_are_removed(tmp_path):
    static = tmp_path / "_static"
    static.mkdir()
    for name, text in {"a.css": "url(b.png)", "b.png": "", "c.css": "url(d.png)", "d.png": "", "OFL.txt": ""}.items():
        (static / name).write_text(text)
    (tmp_path / "index.html").write_text('<link href="_static/a.css">')
    finish.prune(tmp_path)
    assert {path.name for path in static.iterdir()} == {"a.css", "b.png", "OFL.txt"}
