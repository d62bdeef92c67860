"""`python -m attend_book address OWNER/REPO`: move the course, by writing its new address wherever the old one stands.

The old one is that of _config.yml. It is replaced in every form, Binder's, Colab's and Pages' too.
"""

import argparse
import re
from pathlib import Path

import yaml

from attend_book import ROOT

PLACES = ("*.md", "*.cff", "*.toml", "*.yml", ".binder/*", ".github/**/*.yml", "book/*.md", "chapters/**/*.ipynb")
SLUG = r"[A-Za-z0-9-]+/[A-Za-z0-9_-]+"


def main(arguments):
    """Write the new address everywhere."""
    parser = argparse.ArgumentParser(prog="attend_book address", description=main.__doc__)
    parser.add_argument("new", help="OWNER/REPO on GitHub")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (this one)")
    options = parser.parse_args(arguments)
    if not re.fullmatch(SLUG, options.new):
        parser.error(f"got {options.new!r}, expected OWNER/REPO")
    old = configured(options.root)
    for path in sorted({path for place in PLACES for path in options.root.glob(place) if path.is_file()}):
        text = path.read_text(encoding="utf-8")
        if (after := replaced(text, old, options.new)) != text:
            path.write_text(after, encoding="utf-8")
            print(f"{path.relative_to(options.root)}: written")


def configured(root):
    """OWNER/REPO of _config.yml."""
    url = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]
    return url.removeprefix("https://github.com/").strip("/")


def replaced(text, old, new):
    """A text with one address in the place of another, in each form in which GitHub, Pages and Binder write it."""
    pages = [slug.replace("/", ".github.io/") for slug in (old, new)]
    for before, after in (pages, (old, new)):
        text = re.sub(rf"(?<![\w.-]){re.escape(before)}(?![\w-])", after, text)
    return text
