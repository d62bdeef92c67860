"""The browser of the tests: one Chromium a test process, or a loud word on what was not tested.

While it runs, Playwright's event loop belongs to the main thread: a test that executes notebooks
(`asyncio.run`, nbclient) does so in a process of its own.
"""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from attend_book.browser import NoBrowserError, launched

NOT_TESTED = "NOT TESTED: "
"""How the reason of a skip begins that tests/conftest.py repeats at the end of a run."""


def missing(what: str) -> None:
    """Skip, loudly, what this machine cannot test; with CI=true it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true tests all: {what}", pytrace=False)
    pytest.skip(f"{NOT_TESTED}{what}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The running browser. Without one the test is skipped and the summary says so; with CI=true it fails."""
    try:
        session = launched()
        browser = session.__enter__()
    except NoBrowserError as trouble:
        missing(f"live figures beside torch, the built site, JupyterLab: {trouble}")
    yield browser
    session.__exit__(None, None, None)


class Listener:
    """What a page said and asked for while it was open: console trouble, and requests to other hosts."""

    def __init__(self, context: BrowserContext):
        self.trouble: list[str] = []
        self.abroad: list[str] = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self.trouble.append(f"uncaught: {error.error}"))
        context.on("requestfailed", self._failed)
        context.route("**/*", self._route)

    def _console(self, message) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _failed(self, request) -> None:
        if "ERR_ABORTED" not in (request.failure or ""):  # given up because the reader left the page
            self.trouble.append(f"failed: {request.url} {request.failure}")

    def _route(self, route: Route) -> None:
        url = route.request.url
        if url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:")):
            route.continue_()
        else:
            self.abroad.append(url)
            route.abort()

    def check(self) -> None:
        """Fail with the first things that went wrong."""
        assert not self.abroad, f"asked other hosts: {self.abroad[:5]}"
        assert not self.trouble, "\n".join(self.trouble[:5])


@pytest.fixture
def opened(chromium):
    """`opened(**context_options)`: a fresh page with the network blocked; its trouble fails the test at the end."""
    contexts: list[tuple[BrowserContext, Listener]] = []

    def fresh(**options) -> Page:
        context = chromium.new_context(**options)
        contexts.append((context, Listener(context)))
        return context.new_page()

    yield fresh
    listeners = [listener for _, listener in contexts]
    for context, _ in contexts:
        context.close()
    for listener in listeners:
        listener.check()
