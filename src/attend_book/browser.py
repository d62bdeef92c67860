"""The one place that finds a browser: stills, parity tests and the tests of the site all ask here.

The order: CHROME_PATH, a Chrome or Chromium of the machine, Playwright's own download.
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
NAMES += ("chrome", "microsoft-edge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
HOW = (
    "no Chrome or Chromium was found and Playwright could not download one. Install one (Debian and Ubuntu: "
    "`apt install chromium`), or run `.venv/bin/playwright install --with-deps chromium`, "
    "or set CHROME_PATH to its program."
)


class NoBrowserError(RuntimeError):
    """No browser can be had on this machine; the message says how to get one."""


def on_machine() -> str | None:
    """Path of a Chrome or Chromium of the machine, or None; a CHROME_PATH that is no program is an error."""
    if wish := os.environ.get("CHROME_PATH"):
        if path := shutil.which(wish):
            return path
        raise NoBrowserError(f"CHROME_PATH: got {wish!r}, expected the path of a Chrome or Chromium program")
    found = (shutil.which(name) for name in NAMES)
    placed = (str(path) for place in PLACES if (path := Path(place).expanduser()).is_file())
    return next((path for path in (*found, *placed) if path), None)


def downloaded() -> str | None:
    """Path of Playwright's own Chromium if it lies in its store, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


@cache
def executable() -> str:
    """Path of a browser: the machine's, else Playwright's, downloaded if need be; NoBrowserError if neither."""
    if path := on_machine() or downloaded():
        return path
    print("no Chrome or Chromium on this machine: asking Playwright for its own", file=sys.stderr, flush=True)
    asked = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(asked, check=True, timeout=300, stdout=sys.stderr)
    except (subprocess.SubprocessError, OSError) as trouble:
        raise NoBrowserError(HOW) from trouble
    if path := downloaded():
        return path
    raise NoBrowserError(HOW)


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
