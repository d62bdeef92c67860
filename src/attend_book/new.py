"""`make new SYSTEM=soft/window`: the skeletons of a system with its page, each in the place where it belongs.

They run, and they say with one word where something is to be written. While that word stands in a file, `make check`
names the file, `make pages` the page, and the site is not built.
"""

import argparse
import keyword
import re
import subprocess
import sys
from pathlib import Path

from attend_book import OPEN, ROOT, Refused

SKELETON = Path(__file__).with_name("skeleton")
LINES = {  # file: (the last line of this form, what comes after it)
    "_toc.yml": ("      - file: chapters/__part__/.*", "      - file: chapters/__part__/__page__"),
    "tests/site/samples.py": ("SAMPLES = {", '    "__page__": {"x": 0.5},'),
}


def main(arguments):
    """Write the skeletons of a new system, all of them or none; returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book new", description=main.__doc__)
    parser.add_argument("system", help="part and name, as in soft/window")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (this one)")
    options = parser.parse_args(arguments)
    try:
        texts = files(options.system, options.root)
        write(options.root, texts)
    except Refused as refused:
        print(f"SYSTEM: {refused}", file=sys.stderr)
        return 2
    print(*texts, sep="\n")
    print(f"Next: write what {OPEN} asks for; CONTRIBUTING.md has the order.")
    return 0


def files(system, root):
    """The text of every file of a new system, by path; Refused for a name that does not fit or is taken."""
    parts = sorted(folder.name for folder in (root / "chapters").iterdir() if folder.is_dir())
    found = re.fullmatch(r"([a-z]+)/([a-z][a-z0-9_]*)", system)
    if not found or found[1] not in parts or keyword.iskeyword(found[2]):
        wanted = f"one of {', '.join(parts)}, a slash, and a name of small letters, digits and _"
        raise Refused(f"got {system!r}, expected {wanted}, as in soft/window")
    words = {"part": found[1], "page": found[2], "Page": found[2].title().replace("_", ""), "open": OPEN}

    def named(text):
        return re.sub(r"__(part|page|Page|open)__", lambda word: words[word[1]], text)

    skeletons = sorted(path for path in SKELETON.rglob("*.*") if path.is_file() and path.suffix != ".pyc")
    texts = {
        named(path.relative_to(SKELETON).as_posix()): named(path.read_text(encoding="utf-8")) for path in skeletons
    }
    taken = [*texts, *(f"src/attend/{room}/{found[2]}" for room in ("checks", "evidence", "live", "recipes"))]
    taken += [f"chapters/{part}/{found[2]}.md" for part in parts]
    if there := sorted({place for place in taken if (root / place).exists()}):
        raise Refused(f"got {system!r}, expected a name that is free; there is {', '.join(there)}")
    for place, (before, line) in LINES.items():
        texts[place] = after(named(before), named(line), (root / place).read_text(encoding="utf-8"), place)
    return texts


def after(before, line, text, place):
    """The text with a line after the last one that has the form `before`."""
    places = list(re.finditer(rf"^{before}\n", text, re.MULTILINE))
    if not places:
        raise Refused(f"{place} has no line {before!r} to put {line!r} after")
    return f"{text[: places[-1].end()]}{line}\n{text[places[-1].end() :]}"


def write(root, texts):
    """Write all files; when one cannot be written, everything is again as it was."""
    former = {root / place: (root / place).read_bytes() for place in texts if (root / place).exists()}
    made = []
    try:
        for place, text in texts.items():
            path = root / place
            for folder in reversed(path.parents):
                if not folder.exists():
                    folder.mkdir()
                    made.append(folder)
            if path not in former:
                made.append(path)
            path.write_text(text, encoding="utf-8", newline="\n")
        tidy(root, [place for place in texts if place.endswith(".py")])
    except (OSError, subprocess.CalledProcessError) as error:
        for path, content in former.items():
            path.write_bytes(content)
        for path in reversed(made):
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise Refused(f"nothing was written: {error}") from error


def tidy(root, places):
    """Put imports in order and wrap lines, which depends on how long the names are."""
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format", "--quiet"]):
        asked = [sys.executable, "-m", "ruff", *command, "--no-cache", *places]
        subprocess.run(asked, cwd=root, stdout=subprocess.DEVNULL, check=True)
