"""The last look at a built site: its own files in place, nothing unused, and no request to another host."""

import posixpath
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
FETCHING = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",), "track": ("src",),
    "input": ("src",), "use": ("href",), "form": ("action",), "link": ("href",),
}  # fmt: skip
QUIET_LINKS = {"canonical", "license", "author", "me", "alternate"}
HOST = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
IN_SCRIPT = re.compile(r"""["'`](?:https?:|wss?:)?//[a-z0-9][^"'`\s]*""", re.IGNORECASE)
NAMESPACES = ("http://www.w3.org/",)
BLANK = {" ", "\u00a0", "\u200b"}
ADDRESS = re.compile(r'\b(href|src|action|data-folder)="([^"]*)"')
CLASS = re.compile(r"\.([A-Za-z][\w-]*)")
NOT = re.compile(r":not\([^()]*\)")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", re.DOTALL)


def finish(app):
    """Copy styles, scripts and fonts; drop what no page asks for; refuse a request to another host."""
    out = Path(app.outdir)
    assets(out)
    head.notebooks(app)
    announce.write(app)
    front(out, app.config.root_doc)
    equations(out / "_static", [path.read_text(encoding="utf-8") for path in out.rglob("*.html")])
    prune(out)
    policy.settle(out)
    if found := strangers(out):
        raise ExtensionError("the site would ask another host:\n" + "\n".join(f"  {line}" for line in found))


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


def front(out, root):
    """The front page under the site's own address, and every link to it."""
    folder = Path(root).parent.as_posix()
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        page = path.relative_to(out).as_posix()
        up = "../" * page.count("/")
        text = ADDRESS.sub(lambda found, up=up, page=page: _to_front(found, page, root, up), text)
        path.write_text(text, encoding="utf-8")
    text = (out / f"{root}.html").read_text(encoding="utf-8")
    index = ADDRESS.sub(lambda found: f'{found[1]}="{_moved(found[2], folder)}"', text)
    index = index.replace('data-content_root="../"', 'data-content_root="./"')
    (out / "index.html").write_text(index, encoding="utf-8")


def _to_front(found, page, root, up):
    """A link to the front page's source as one to index.html."""
    if found[1] != "href" or _moved(found[2].partition("#")[0], posixpath.dirname(page)) != f"{root}.html":
        return found[0]
    return f'href="{up}index.html{"".join(found[2].partition("#")[1:])}"'


def _moved(address, folder):
    """A relative address, as written in `folder`, from the site's root."""
    if not address or address.startswith("#") or re.match(r"[a-z][a-z0-9+.-]*:|//", address, re.IGNORECASE):
        return address
    return posixpath.normpath(posixpath.join(folder, address)) + ("/" if address.endswith("/") else "")


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


class _Requests(HTMLParser):
    """Every address that a browser would fetch while it shows a page."""

    def __init__(self):
        super().__init__()
        self.found, self.inside = [], ""

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "link" and QUIET_LINKS & set((given.get("rel") or "").split()):
            return
        self.inside = tag if tag in ("script", "style") else ""
        self.found += [given[name] for name in FETCHING.get(tag, ()) if given.get(name)]
        if style := given.get("style"):
            self.found += in_style(style, tinycss2.parse_blocks_contents(style))

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "style":
            self.found += in_style(data, tinycss2.parse_stylesheet(data))
        elif self.inside == "script":
            self.found += in_script(data)


def in_style(_text, rules):
    """The addresses in url() and @import of parsed CSS."""
    found, waiting = [], list(rules)
    while waiting:
        token = waiting.pop()
        if token.type == "url" or (token.type == "string" and HOST.match(token.value)):
            found.append(token.value)
        if token.type == "function" and token.lower_name == "url":
            found += [argument.value for argument in token.arguments if argument.type == "string"]
        for part in ("prelude", "content", "value", "arguments"):
            inner = getattr(token, part, None)
            waiting += inner if isinstance(inner, list) else []
    return found


def in_script(text):
    """The addresses of other hosts that stand as strings in a script, its comments and XML namespaces left out."""
    found = (match[0][1:] for match in IN_SCRIPT.finditer(COMMENT.sub("", text)))
    return [address for address in found if not address.startswith(NAMESPACES)]


def strangers(out):
    """`file: address` for every place where the built site would ask another host."""
    lines = []
    for path in sorted(out.rglob("*")):
        if path.suffix == ".html":
            reader = _Requests()
            reader.feed(path.read_text(encoding="utf-8"))
            found = reader.found
        elif path.suffix == ".css":
            text = path.read_text(encoding="utf-8")
            found = in_style(text, tinycss2.parse_stylesheet(text))
        elif path.suffix == ".js":
            found = in_script(path.read_text(encoding="utf-8"))
        else:
            continue
        lines += [f"{path.relative_to(out)}: {address}" for address in found if HOST.match(address)]
    return lines
