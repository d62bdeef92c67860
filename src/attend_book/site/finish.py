"""The last look at a built site: its own files in place, nothing unused, no markup that has no business on a page."""

import re
import shutil
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from attend_book.site import announce, head, policy

ASSETS = Path(__file__).resolve().parents[3] / "book" / "_assets"
BLANK = {" ", "\u00a0", "\u200b"}
CLASS = re.compile(r"\.([A-Za-z][\w-]*)")
NOT = re.compile(r":not\([^()]*\)")


def finish(app):
    """Copy styles, scripts and fonts; drop what no page asks for; give each page its policy."""
    out = Path(app.outdir)
    assets(out)
    head.notebooks(app)
    announce.write(app)
    equations(out / "_static", [path.read_text(encoding="utf-8") for path in out.rglob("*.html")])
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
    (static / head.STYLES).write_text(squeeze(styles), encoding="utf-8")


def squeeze(css):
    """A style sheet without comments and needless space. Raises ExtensionError for one that does not parse."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    broken = [rule for rule in rules if rule.type == "error"]
    if broken:
        raise ExtensionError(f"style sheet, line {broken[0].source_line}: {broken[0].message}")
    text = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([{};,]) ?", r"\1", text).replace(";}", "}").strip()


class _Drawn(HTMLParser):
    """The characters that stand inside KaTeX's drawn equations, and the classes of all elements."""

    def __init__(self):
        super().__init__()
        self.depth, self.letters, self.classes = 0, set(), set()

    def handle_starttag(self, tag, attributes):
        own = set((dict(attributes).get("class") or "").split())
        self.classes |= own
        if self.depth:
            self.depth += tag == "span"
        elif tag == "span" and "katex-html" in own:
            self.depth = 1

    def handle_endtag(self, tag):
        self.depth -= bool(self.depth) and tag == "span"

    def handle_data(self, data):
        if self.depth:
            self.letters |= set(data)


def purged(css, classes):
    """A style sheet without the rules that ask for a class which no page has."""
    kept = []
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            selectors = tinycss2.serialize(rule.prelude).split(",")
            selectors = [one.strip() for one in selectors if set(CLASS.findall(NOT.sub("", one))) <= classes]
            if selectors:
                kept.append(f"{','.join(selectors)}{{{tinycss2.serialize(rule.content)}}}")
        else:
            kept.append(rule.serialize())
    return "\n".join(kept)


def equations(static, pages):
    """Add KaTeX's style sheet to ours, and its fonts: both cut down to what the book's equations use."""
    reader = _Drawn()
    for page in pages:
        reader.feed(page)
    rules = squeeze(purged((ASSETS / "katex" / "katex.css").read_text(encoding="utf-8"), reader.classes))
    for path in (static / "katex").glob("*.woff2"):
        font = TTFont(BytesIO(path.read_bytes()), recalcTimestamp=False)
        kept = reader.letters & {chr(code) for code in font.getBestCmap()} - BLANK
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
    with (static / head.STYLES).open("a", encoding="utf-8") as styles:
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
