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
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(ROOT), "--all", "-n", "--keep-going"]
    command += ["--path-output", str(options.path_output.resolve())]
    command += [] if options.no_strict else ["-W"]
    command += [] if options.verbose else ["-q"]
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH", ""))))
    began = time.monotonic()
    print("building the book …", flush=True)
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=False).returncode
    took = f"in {time.monotonic() - began:.0f} s"
    if status:
        print(f"the book was not built ({took}); what is above says why")
        return status
    print(f"the book stands in {built / 'html' / 'index.html'} ({took})")
    return 0
