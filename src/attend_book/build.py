"""`python -m attend_book site`: build the book with Jupyter Book, whole or not at all.

The site grows in a folder of its own, and only one that was built without a fault takes the place of the former one. A
second build waits for the first; what a killed one left, the next one puts right.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from filelock import FileLock

from attend_book import ROOT

JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"
GROWING = "site-"
FORMER = "former"


def main(arguments):
    """Build the site; returns 0, or the exit status of the build that was refused."""
    parser = argparse.ArgumentParser(prog="attend_book site", description=main.__doc__)
    parser.add_argument("--source", type=Path, default=ROOT, help="the book (this one)")
    parser.add_argument("--path-output", type=Path, help="folder that gets _build/html (the book's own)")
    parser.add_argument("--no-strict", action="store_true", help="warnings do not fail the build")
    parser.add_argument("--verbose", action="store_true", help="say what Sphinx does")
    options = parser.parse_args(arguments)
    built = (options.path_output or options.source).resolve() / "_build"
    built.mkdir(parents=True, exist_ok=True)
    asked = ([] if options.no_strict else ["-W"]) + ([] if options.verbose else ["-q"])
    with FileLock(built / "site.lock"):
        clear(built)
        began = time.monotonic()
        print("building the book …", flush=True)
        growing = Path(tempfile.mkdtemp(prefix=GROWING, dir=built))
        try:
            status = jupyter_book(options.source, growing, *asked)
            if not status:
                publish(growing / "_build" / "html", built / "html")
        finally:
            clear(built)
    took = f"in {time.monotonic() - began:.0f} s"
    if status:
        print(f"the book was not built ({took}); what is above says why")
    else:
        print(f"the book stands in {built / 'html' / 'index.html'} ({took})")
    return status


def jupyter_book(source, output, *asked):
    """Run Jupyter Book over a whole book, into `output`; returns its exit status."""
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(source), "--all", "-n", "--keep-going"]
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [*command, "--path-output", str(output), *asked],
        cwd=source, env={**os.environ, "PYTHONPATH": path}, check=False,
        stdout=None if "-q" not in asked else subprocess.DEVNULL,  # what is wrong is said on stderr
    ).returncode  # fmt: skip


def publish(new, place):
    """Put the folder `new` at `place`; what stood there moves aside."""
    if place.exists():
        place.rename(place.with_name(FORMER))
    new.rename(place)


def clear(built):
    """Remove what builds have left; a site that was moved aside and not replaced comes back."""
    former = built / FORMER
    if former.exists() and not (built / "html").exists():
        former.rename(built / "html")
    for left in (former, *built.glob(f"{GROWING}*")):
        shutil.rmtree(left, ignore_errors=True)
