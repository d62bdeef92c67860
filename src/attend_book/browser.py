"""The one place that finds a browser: stills, parity tests and the tests of the site all ask here.

The order: CHROME_PATH, a Chrome or Chromium of the machine, Playwright's own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# The shell first: the same engine without a window, which opens a page in half the time.
NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
NAMES += ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
HOW = (
    "no Chrome or Chromium was found and Playwright could not download one. Install one (Debian and Ubuntu: "
    "`apt install chromium`), or run `.venv/bin/playwright install --with-deps chromium`, or set CHROME_PATH."
)


class NoBrowserError(RuntimeError):
    """No browser can be had on this machine; the message says how to get one."""


@cache
def executable() -> str:
    """Path of a browser: CHROME_PATH's, the machine's, or Playwright's, downloaded if need be; else NoBrowserError."""
    if wish := os.environ.get("CHROME_PATH"):
        if path := shutil.which(wish):
            return path
        raise NoBrowserError(f"CHROME_PATH: got {wish!r}, expected the path of a Chrome or Chromium program")
    if path := next(filter(None, map(shutil.which, NAMES)), None):
        return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if not Path(own).is_file():
        print("no Chrome or Chromium on this machine: asking Playwright for its own", file=sys.stderr, flush=True)
        asked = [sys.executable, "-m", "playwright", "install", "chromium"]
        try:
            subprocess.run(asked, check=True, timeout=300, stdout=sys.stderr)
        except (subprocess.SubprocessError, OSError) as trouble:
            raise NoBrowserError(HOW) from trouble
    return own


@contextmanager
def launched() -> Iterator[Browser]:
    """A running headless browser (Playwright's sync API), closed at the end of the with block."""
    from playwright.sync_api import sync_playwright

    path = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
