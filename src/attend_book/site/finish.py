"""The last look at a built site: its own files in place, nothing unused, no markup that has no business on a page."""

import re
import shutil
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from attend_book import ROOT
from attend_book.site import announce, head, maths, policy

ASSETS = ROOT / "book" / "_assets"
STYLES = "attend.css"
BLANK = {" ", "\u00a0", "\u200b"}


def finish(app):
    """Copy styles, scripts and fonts; drop what no page asks for; give each page its policy."""
    out = Path(app.outdir)
    assets(out)
    head.notebooks(app)
    announce.write(app)
    equations(out / "_static", maths.LETTERS)
    prune(out)
    policy.settle(out)


def assets(out):
    """Our own files, where the templates point."""
    static = out / "_static"
    shutil.copytree(ASSETS / "fonts", static / "fonts", dirs_exist_ok=True)
    shutil.copytree(ASSETS / "katex" / "fonts", static / "katex", dirs_exist_ok=True)
    for script in (ASSETS / "js").glob("*.js"):
        shutil.copyfile(script, static / script.name)
    styles = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ASSETS / "css").glob("*.css")))
    (static / STYLES).write_text(squeeze(styles), encoding="utf-8")


def squeeze(css):
    """A style sheet without comments and needless space."""
    text = re.sub(r"/\*.*?\*/|\s+", " ", css, flags=re.DOTALL)
    return re.sub(r" *([{};,]) *", r"\1", text).replace(";}", "}").strip()


def equations(static, letters):
    """Add KaTeX's style sheet to ours, and its fonts, cut down to the letters of the book's equations."""
    rules = squeeze((ASSETS / "katex" / "katex.css").read_text(encoding="utf-8"))
    for path in (static / "katex").glob("*.woff2"):
        font = TTFont(BytesIO(path.read_bytes()), recalcTimestamp=False)
        kept = letters & {chr(code) for code in font.getBestCmap()} - BLANK
        if not kept:
            path.unlink()
            rules = re.sub(rf"@font-face{{[^}}]*{path.name}[^}}]*}}", "", rules)
            continue
        options = subset.Options(flavor="woff2", hinting=False, desubroutinize=True, layout_features=["kern"])
        cutter = subset.Subsetter(options)
        cutter.populate(text="".join(sorted(kept | BLANK)))
        cutter.subset(font)
        font.flavor = "woff2"
        font.save(path)
    with (static / STYLES).open("a", encoding="utf-8") as styles:
        styles.write("\n" + rules)


def prune(out):
    """Remove files of Sphinx and its extensions that no page names, nor a style sheet or script that a page names."""
    static = out / "_static"
    files = [path for path in static.rglob("*") if path.is_file() and "live" not in path.relative_to(static).parts]
    seen, kept = "\n".join(path.read_text(encoding="utf-8") for path in out.rglob("*.html")), set()
    while fresh := {path for path in files if path.name in seen} - kept:
        kept |= fresh
        seen = "\n".join(path.read_text(encoding="utf-8") for path in fresh if path.suffix in (".css", ".js"))
    for path in set(files) - kept:
        if path.suffix != ".txt":
            path.unlink()
    for name in ("objects.inv", ".buildinfo"):
        (out / name).unlink(missing_ok=True)
