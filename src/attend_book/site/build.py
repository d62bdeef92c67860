"""`python -m attend_book site`: build the book with Jupyter Book, warnings as errors, and say how long it took."""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def main(arguments):
    """Build the site; returns Jupyter Book's exit status."""
    parser = argparse.ArgumentParser(prog="attend_book site", description=main.__doc__)
    parser.add_argument("--path-output", type=Path, default=ROOT, help="folder that gets _build/html (the book's own)")
    parser.add_argument("--no-strict", action="store_true", help="warnings do not fail the build")
    parser.add_argument("--verbose", action="store_true", help="say what Sphinx does")
    options = parser.parse_args(arguments)
    built = options.path_output.resolve() / "_build"
    for folder in ("html", ".doctrees", "jupyter_execute"):
        shutil.rmtree(built / folder, ignore_errors=True)
    asked = [] if options.no_strict else ["-W"]
    asked += [] if options.verbose else ["-q"]
    began = time.monotonic()
    print("building the book …", flush=True)
    status = jupyter_book(options.path_output.resolve(), *asked)
    took = f"in {time.monotonic() - began:.0f} s"
    if status:
        print(f"the book was not built ({took}); what is above says why")
        return status
    print(f"the book stands in {built / 'html' / 'index.html'} ({took})")
    return 0


def jupyter_book(output, *asked):
    """Run Jupyter Book over the whole course, into `output`; returns its exit status."""
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(ROOT), "--all", "-n", "--keep-going"]
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [*command, "--path-output", str(output), *asked], cwd=ROOT, env=environment, check=False
    ).returncode
