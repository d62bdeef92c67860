"""Which HTML the book may hold: an allow-list, held against what a parser reads.

What allowed.yml does not name is refused, and so is what parsers read in two ways: a comment, and a tag inside of text.
"""

import re
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import yaml

ALLOWED = Path(__file__).with_name("allowed.yml").read_text(encoding="utf-8")
NAMES = {kind: set(names.split()) for kind, names in yaml.safe_load(ALLOWED).items()}
HERE = re.compile(r"(?![a-z][a-z0-9+.-]*:|[/\\]{2})", re.IGNORECASE)
"""An address on this site."""
LINK = re.compile(rf"{HERE.pattern}|https?://|mailto:", re.IGNORECASE)
PICTURE = re.compile(rf"{HERE.pattern}|data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]", re.IGNORECASE)
ADDRESSES = {
    ("a", "href"): LINK,
    ("img", "src"): PICTURE,
    ("use", "href"): re.compile("#"),
    ("link", "href"): HERE,
    ("script", "src"): HERE,
    ("form", "action"): HERE,
}
RAW = {"script", "style", "title", "textarea"}


class _Reader(HTMLParser):
    def __init__(self, whole):
        super().__init__()
        self.tags = NAMES["elements"] | (NAMES["elements of a page"] if whole else set())
        self.names = NAMES["attributes"] | (NAMES["attributes of a page"] if whole else {"style"})
        self.found, self.inside = [], ""

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        if tag not in self.tags:
            self.found.append(f"<{tag}>")
            return
        given = {name: value or "" for name, value in attributes}
        for name, value in given.items():
            if pattern := ADDRESSES.get((tag, name)):
                known = tag == "link" and given.get("rel") == "canonical"
                if not known and not pattern.match(re.sub(r"[\x00-\x20]", "", value)):
                    self.found.append(f"<{tag} {name}> with {value[:80]!r}")
            elif re.search(r"url\((?!\s*['\"]?#)", value):
                self.found.append(f"<{tag} {name}> with {value[:80]!r}")
            elif name == "style" and "(" in re.sub(r"\b(?:rgba?|hsla?|calc|var)\(", "", value.lower()):
                self.found.append(f"<{tag} style> with {value[:80]!r}")
            elif name not in self.names and not re.fullmatch(r"(?:aria|data)-[\w-]+", name):
                self.found.append(f"<{tag} {name}>")
        if tag == "script" and "src" not in given:
            self.found.append("<script> without a file")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in RAW and (self.inside != "title" or re.search(r"<[a-z!/?]", data, re.I)) and data.strip():
            self.found.append(f"text in <{self.inside}>: {data.strip()[:80]!r}")

    def handle_comment(self, data):
        self.found.append(f"a comment: {data.strip()[:80]!r}")

    unknown_decl = handle_pi = handle_comment


def faults(html, whole=False):
    """What stands in a piece of HTML and may not, in words; `whole` for a page with its frame, scripts and head.

    A piece may carry style attributes without addresses; the site makes classes of them, so that a page has none.
    """
    reader = _Reader(whole)
    reader.feed(html)
    if re.match(r"<[a-z!/?]", reader.rawdata, re.IGNORECASE):
        reader.found.append(f"a tag without an end: {reader.rawdata[:80]!r}")
    reader.close()
    return reader.found


@contextmanager
def spoken(state):
    """Inside the with block a directive's state reads tags as words: what a claim says is never markup."""
    reader = state._renderer.md
    with reader.reset_rules():
        reader.disable(["html_inline", "html_block"])
        yield
