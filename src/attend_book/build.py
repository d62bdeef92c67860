"""`python -m attend_book site`: build the book with Jupyter Book, whole or not at all.

The site grows in a folder of its own, and only one that was built without a fault takes the place of the former one, in
a single step. A second build waits for the first.
"""

import argparse
import ctypes
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
# What exchanges two folders in one step: (function of the C library, value of its flag).
EXCHANGE = {"linux": ("renameat2", 2), "darwin": ("renameatx_np", 2)}
HERE = {"linux": -100, "darwin": -2}  # AT_FDCWD: paths count from the working directory


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
        for left in built.glob(f"{GROWING}*"):  # by a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        began = time.monotonic()
        print("building the book …", flush=True)
        growing = Path(tempfile.mkdtemp(prefix=GROWING, dir=built))
        try:
            status = jupyter_book(options.source, growing, *asked)
            if not status:
                publish(growing / "_build" / "html", built / "html")
        finally:
            shutil.rmtree(growing, ignore_errors=True)
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
    """Put the folder `new` at `place`. What stood there stands at `new` afterwards, or nowhere if nothing did."""
    if not place.exists():
        new.rename(place)
    elif not exchanged(new, place):
        # Two steps, where the system knows no single one: killed between them, the next build starts from nothing.
        former = new.with_name("former")
        place.rename(former)
        new.rename(place)


def exchanged(one, other):
    """Exchange two folders in one step; False where the system cannot."""
    if sys.platform not in EXCHANGE:
        return False
    name, flag = EXCHANGE[sys.platform]
    exchange = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    here = HERE[sys.platform]
    return exchange is not None and exchange(here, os.fsencode(one), here, os.fsencode(other), flag) == 0
