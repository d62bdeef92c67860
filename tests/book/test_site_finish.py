"""The last look at a built site: equations with their letters, and no file that nothing names."""

import shutil
from io import BytesIO

from fontTools.ttLib import TTFont

from attend_book.site import finish, maths


def test_squeezing_keeps_the_rules():
    css = "/* note */\na , b {\n  color : red ;\n  width: calc(1px + 2px);\n}\n"
    assert finish.squeeze(css) == "a,b{color : red;width: calc(1px + 2px)}"


def test_equation_fonts_keep_just_what_is_written(tmp_path):
    shutil.copytree(finish.ASSETS / "katex" / "fonts", tmp_path / "katex")
    (tmp_path / "attend.css").write_text("a{b:c}")
    maths.LETTERS.clear()
    maths.draw("\\prod x < 1 \\text{ \\& more}", True, "zebra")
    maths.close()
    assert {"∏", "x", "<", "&", "m"} <= maths.LETTERS
    finish.equations(tmp_path, maths.LETTERS)
    letters = TTFont(BytesIO((tmp_path / "katex" / "KaTeX_Math-Italic.woff2").read_bytes())).getBestCmap()
    assert ord("x") in letters
    assert ord("z") not in letters
    assert not (tmp_path / "katex" / "KaTeX_Size4-Regular.woff2").exists()
    left = (tmp_path / "attend.css").read_text()
    assert left.startswith("a{b:c}")
    assert ".katex-html" in left
    assert "KaTeX_Size4-Regular.woff2" not in left
    assert "KaTeX_Math-Italic.woff2" in left


def test_files_that_nothing_names_are_removed(tmp_path):
    static = tmp_path / "_static"
    static.mkdir()
    for name, text in {"a.css": "url(b.png)", "b.png": "", "c.css": "url(d.png)", "d.png": "", "OFL.txt": ""}.items():
        (static / name).write_text(text)
    (tmp_path / "index.html").write_text('<link href="_static/a.css">')
    finish.prune(tmp_path)
    assert {path.name for path in static.iterdir()} == {"a.css", "b.png", "OFL.txt"}
