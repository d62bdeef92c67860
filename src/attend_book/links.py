"""`python -m attend_book links`: open every outside link of the book, by Sphinx's link check, and list what is broken.

A server that refuses a machine (403, 429) says nothing of the link: such links are listed apart, to be seen by hand.
Where no server can be reached at all, nothing was checked, and the exit status is another one.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

from attend_book import ROOT, build

SOUND, BROKEN, NOT_CHECKED = 0, 1, 3
REFUSES = re.compile(r"\b(?:401|403|405|418|429|999) (?:Client )?Error")
NO_NETWORK = re.compile(
    r"NameResolutionError|Name or service not known|nodename nor servname|unreachable|ConnectTimeout"
)


def main(arguments):
    """Check the links that Sphinx finds in the book; 1 when one is broken, 3 when no server could be reached."""
    parser = argparse.ArgumentParser(prog="attend_book links", description=main.__doc__)
    parser.add_argument("--output", type=Path, help="read this output.json of an earlier check instead")
    options = parser.parse_args(arguments)
    if options.output:
        return report(read(options.output))
    with tempfile.TemporaryDirectory() as folder:
        # The status of the check itself is not needed: its list says more.
        build.jupyter_book(ROOT, Path(folder), "--builder", "custom", "--custom-builder", "linkcheck", "-q")
        found = Path(folder) / "_build" / "linkcheck" / "output.json"
        if not found.is_file():
            print("the book could not be read; what is above says why")
            return BROKEN
        return report(read(found))


def read(path):
    """The links that were opened, as Sphinx notes them: a JSON object a line."""
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [entry for entry in entries if re.match(r"https?://", entry["uri"])]


def kind(entry):
    """What became of a link: works, refused, broken, or no network."""
    if entry["status"] in ("working", "redirected", "ignored"):
        return "works"
    if REFUSES.search(entry["info"]):
        return "refused"
    return "no network" if NO_NETWORK.search(entry["info"]) else "broken"


def report(entries):
    """Print what is broken and what wants a look by hand; returns the exit status."""
    kinds = Counter(kind(entry) for entry in entries)
    for wanted, says in (("broken", "BROKEN"), ("no network", "BROKEN"), ("refused", "look by hand")):
        if wanted == "no network" and not kinds["works"] + kinds["refused"] + kinds["broken"]:
            continue
        for entry in entries:
            if kind(entry) == wanted:
                print(f"{says}: {entry['filename']}:{entry['lineno']}: {entry['uri']} ({entry['info'].strip()})")
    total = len({entry["uri"] for entry in entries})
    if total and kinds["no network"] == len(entries):
        print(f"NOT CHECKED: no server could be reached, so none of {total} outside links was opened")
        return NOT_CHECKED
    bad = kinds["broken"] + kinds["no network"]
    print(f"{total} outside links: {kinds['works']} work, {bad} broken, {kinds['refused']} to be looked at by hand")
    return BROKEN if bad else SOUND
