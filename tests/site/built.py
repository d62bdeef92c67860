"""The built site as files: its pages, what each of them says in its markup, and how large a file travels."""

import gzip
import os
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.changes import changed

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("ATTEND_SITE", ROOT / "_build" / "html")).resolve()
SHARED = ("book/_assets/", "src/attend_book/site/", "src/attend/live/kit/", "tests/site/")
TEXT = {".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"}


def paths() -> list[str]:
    """Every page of the built site, as its path below the root ("chapters/memory/coin.html")."""
    return sorted(file.relative_to(SITE).as_posix() for file in SITE.rglob("*.html") if "_static" not in file.parts)


def visits() -> list[str]:
    """The pages to open in a browser, the front page first."""
    return ["index.html", *(path for path in paths() if path != "index.html")]


def heaviest() -> str:
    """The page that brings most."""
    return max(notebooks(), key=size, default="index.html")


def size(path: str) -> int:
    """About how much a page brings: itself and the data of its live figures, not packed."""
    page = SITE / path
    keys = set(re.findall(r'data-key="([^"]+)"', page.read_text(encoding="utf-8")))
    data = [SITE / "_static" / "live" / f"{key}.js" for key in keys]
    return sum(file.stat().st_size for file in (page, *data) if file.is_file())


def recent() -> set[str]:
    """The page whose text a commit of late has changed; of several the one that brings least."""
    texts = {str(Path(name).with_suffix(".html")) for name in changed() or () if name.endswith(".md")}
    return set(sorted(texts & set(paths()), key=size)[:1])


def soon() -> list:
    """The pages to open, as pytest's parameters: the front page, one that changed of late; the others nightly.

    Where what all pages share has changed, or nobody knows what did, the heaviest is opened, too.
    """
    shared = changed() is None or any(name.startswith(SHARED) for name in changed())
    now = {"index.html"} | recent() | ({heaviest()} if shared else set())
    return [pytest.param(path, marks=() if path in now else pytest.mark.nightly) for path in visits()]


def notebooks() -> list[str]:
    """The pages that are notebooks: those whose source lies in chapters/."""
    return [path for path in paths() if (ROOT / path).with_suffix(".ipynb").is_file()]


@cache
def travels(file: Path) -> bytes:
    """The bytes of a file as GitHub Pages sends them: text gzipped, everything else as it is."""
    content = file.read_bytes()
    return gzip.compress(content, 6, mtime=0) if file.suffix in TEXT else content


@dataclass
class Markup:
    """What one page says: its elements in order, as (tag, attributes), and its texts by tag."""

    path: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The attributes of each element `tag` whose attributes have the wanted values."""
        found = (attributes for name, attributes in self.elements if name == tag)
        return [a for a in found if all(a.get(key.rstrip("_")) == value for key, value in wanted.items())]

    def meta(self, name: str) -> str:
        """The content of the only <meta name=…>, or "" when there is none."""
        contents = [a.get("content", "") for a in self.all("meta", name=name)]
        assert len(contents) < 2, f"{self.path}: {len(contents)} descriptions"
        return contents[0] if contents else ""

    @property
    def ids(self) -> list[str]:
        """All ids in order, so that a double one shows."""
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


class _Reader(HTMLParser):
    """Fills a Markup; the text of a tag is all text inside it."""

    COLLECTED = ("title", "h1", "main", "script", "style")

    def __init__(self, markup: Markup):
        super().__init__()
        self.markup, self.open = markup, []

    def handle_starttag(self, tag, attributes):
        self.markup.elements.append((tag, {name: value or "" for name, value in attributes}))
        if tag in self.COLLECTED:
            self.open.append(tag)
            self.markup.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        if tag in self.open:
            self.open.remove(tag)

    def handle_data(self, data):
        for tag in self.open:
            self.markup.texts[tag][-1] += data


@cache
def markup(path: str) -> Markup:
    """Read one page."""
    made = Markup(path)
    _Reader(made).feed((SITE / path).read_text(encoding="utf-8"))
    return made


def target(path: str, link: str) -> tuple[Path, str]:
    """The file and the fragment that a link of a page leads to."""
    parts = urlsplit(link)
    file = (SITE / path).parent / unquote(parts.path) if parts.path else SITE / path
    file = file.resolve()
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def abroad(text: str) -> list[str]:
    """Addresses of other hosts in a script or a style sheet; comments and the names of XML namespaces ask nobody."""
    spoken = re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"https?://[^\s\"'`)<>]+|(?<=[\"'`(])//[\w-]+\.[\w.-]+[^\s\"'`)<>]*", spoken)
    return [address for address in found if "://www.w3.org/" not in address]
