"""`python -m attend_book address`: write the repository's address, which stands in _config.yml, wherever it is used.

To move the course, change `repository.url` in _config.yml and run this once. An address counts as the course's own
where it is cloned, installed or cited; from there it is replaced in every form, Binder's, Colab's and Pages' too.
"""

import argparse
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
CONFIG = "_config.yml"
PLACES = ("*.md", "*.cff", "*.toml", "*.yml", ".binder/*", ".github/**/*.yml", "book/*.md", "chapters/**/*.ipynb")
SLUG = r"([A-Za-z0-9-]+/[A-Za-z0-9_-]+)"
OWN = re.compile(rf"(?:git\+|git clone |repository-code: \"?)https://github\.com/{SLUG}")


def main(arguments):
    """Write the address everywhere; with --check, change nothing and fail where another one stands."""
    parser = argparse.ArgumentParser(prog="attend_book address", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail where another address stands")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (this one)")
    options = parser.parse_args(arguments)
    new, strangers, changed = configured(options.root), foreign(options.root), []
    for path in files(options.root):
        text = after = path.read_text(encoding="utf-8")
        for old in strangers:
            after = replaced(after, old, new)
        if after == text:
            continue
        changed.append(path)
        if not options.check:
            path.write_text(after, encoding="utf-8")
        name = path.relative_to(options.root)
        print(f"{name}: another address stands here" if options.check else f"{name}: written")
    return 1 if changed and options.check else 0


def configured(root):
    """OWNER/REPO of _config.yml. Raises ValueError when it is no address on GitHub."""
    url = yaml.safe_load((root / CONFIG).read_text(encoding="utf-8"))["repository"]["url"]
    found = re.fullmatch(rf"https://github\.com/{SLUG}/?", url)
    if not found:
        raise ValueError(f"repository.url: got {url!r}, expected https://github.com/OWNER/REPO")
    return found[1]


def files(root):
    """The files in which the address may stand."""
    return sorted({path for place in PLACES for path in root.glob(place) if path.is_file()})


def foreign(root):
    """The addresses OWNER/REPO that stand in the tree as the course's own and are not the one of _config.yml."""
    own = configured(root)
    texts = (path.read_text(encoding="utf-8") for path in files(root))
    found = {slug.removesuffix(".git") for text in texts for slug in OWN.findall(text)}
    baseurl = re.search(r"https://([A-Za-z0-9-]+)\.github\.io/([A-Za-z0-9_-]+)", (root / CONFIG).read_text("utf-8"))
    return (found | ({f"{baseurl[1]}/{baseurl[2]}"} if baseurl else set())) - {own}


def replaced(text, old, new):
    """A text with one address in the place of another, in each form in which GitHub, Pages and Binder write it."""
    pages = [f"{owner}.github.io/{name}" for owner, name in (old.split("/"), new.split("/"))]
    text = re.sub(rf"(?<![\w.-]){re.escape(pages[0])}(?![\w-])", pages[1], text)
    return re.sub(rf"(?<![\w.-]){re.escape(old)}(?![\w-])", new, text)
