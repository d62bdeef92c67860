"""The content security policy of every page: only the site's own files, and not one script in the page itself.

KaTeX sets its equations with style attributes, which a strict policy forbids. They become classes, whose rules stand in
one style element for each page; the policy names that element by its hash.
"""

import base64
import hashlib
import re

from sphinx.errors import ExtensionError

from attend_book.site import markup

RULES = {
    "default-src": "'self'",
    "style-src": "'self'",
    "object-src": "'none'",
    "frame-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
TAG = re.compile(r"<[a-z][\w-]*(?:\s+[\w:-]+(?:=\"[^\"]*\")?)*\s*/?>")
STYLE = re.compile(r'\s+style="([^"]*)"')
CLASSES = re.compile(r'(?<=\sclass=")')
HEAD, STYLES_END = '<meta charset="utf-8">', "</head>"


def settle(out):
    """Give every page of the built site its policy. Raises ExtensionError for what no page may hold, page by page."""
    refused = []
    for path in sorted(out.rglob("*.html")):
        page, css = classed(path.read_text(encoding="utf-8"))
        found = markup.faults(page, whole=True) + (["a style with an address"] if "url(" in css.lower() else [])
        refused += [f"  {path.relative_to(out)}: {fault}" for fault in found]
        path.write_text(guarded(page, css), encoding="utf-8")
    if refused:
        raise ExtensionError("\n".join(["what no page may hold:", *refused]))


def classed(text):
    """A page without style attributes, and the rules of the classes that stand in for them."""
    names = {}

    def moved(found):
        if not (style := STYLE.search(found[0])):
            return found[0]
        name = names.setdefault(style[1].strip().rstrip(";"), f"_{len(names)}")
        tag = STYLE.sub("", found[0], count=1)
        if CLASSES.search(tag):
            return CLASSES.sub(f"{name} ", tag, count=1)
        return re.sub(r"^<[a-z][\w-]*", rf'\g<0> class="{name}"', tag)

    page = TAG.sub(moved, text)
    # A style attribute outranks every rule of a sheet, and so do these.
    rules = (f".{name}{{{style.replace(';', '!important;')}!important}}" for style, name in names.items() if style)
    return page, "".join(rules)


def guarded(page, css):
    """A page with its policy as the first thing that it says, and its own rules as the last of its head."""
    rules = dict(RULES)
    if css:
        digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
        rules["style-src"] += f" 'sha256-{digest}'"
        page = page.replace(STYLES_END, f"<style>{css}</style>\n{STYLES_END}", 1)
    policy = "; ".join(f"{name} {sources}" for name, sources in rules.items())
    return page.replace(HEAD, f'{HEAD}\n<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)
