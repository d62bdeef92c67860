"""A visit to a built page: one window, scrolled to its end, every live figure ready; many tests look at it."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, CDPSession, Locator, Page
from tests.browser import Listener, missing
from tests.site import built
from tests.site.server import serving

from attend_book.node import npm_program

HERE = Path(__file__).parent
EVERYTHING = "axe and Lighthouse"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
WATCH = """window.refused = []; addEventListener("securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sample }) => refused.push(`${effectiveDirective}: ${blockedURI} ${sample}`));"""
REFUSED = "refused"
SCREEN = """top => new Promise((drawn) => {
    scrollTo({ top, behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(drawn));
})"""


@dataclass
class Visit:
    """A page of the site in its window, looked at one way after the other, each of them loaded and walked through once.

    On a desk, on a phone, from disk (`disk`), and without scripts (`bare`).
    """

    path: str
    address: str
    page: Page
    heard: Listener
    devtools: CDPSession
    way: str = ""
    loaded: set[str] = field(default_factory=set)

    def by(self, way: str) -> "Visit":
        """Open the page in one of the ways, unless it is open that way already."""
        if way != self.way:
            self.way = way
            self.heard.trouble.clear()
            self.loaded.clear()
            self._turn(phone=way in ("phone", "bare"), scripts=way != "bare")
            self.page.goto((f"{built.SITE.as_uri()}/" if way == "disk" else self.address) + self.path)
            if way != "bare":
                self.walk()
        return self

    def _turn(self, phone: bool, scripts: bool) -> None:
        """Make the window a phone's or a desk's, which Playwright itself can only do at the beginning of a context."""
        self.page.set_viewport_size(PHONE if phone else DESK)
        screen = {**(PHONE if phone else DESK), "deviceScaleFactor": 2 if phone else 1, "mobile": phone}
        self.devtools.send("Emulation.setDeviceMetricsOverride", screen)
        self.devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": phone})
        self.devtools.send("Emulation.setScriptExecutionDisabled", {"value": not scripts})

    def figures(self) -> list[Locator]:
        """The places of the page's live figures."""
        places = self.page.locator(".attend-live")
        return [places.nth(i) for i in range(places.count())]

    def refused(self) -> list[str]:
        """What the page's security policy refused so far."""
        return self.page.evaluate(REFUSED)

    def walk(self) -> None:
        """Scroll from top to bottom, so that everything lazy arrives, and wait until each figure is ready."""
        height, step = self.page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
        for top in range(0, height, step):
            self.page.evaluate(SCREEN, top)
        for place in self.figures():
            place.scroll_into_view_if_needed()
            place.locator("[data-figure][data-ready=true]").wait_for(timeout=10_000)
        until(self.page, "[...document.images].every(e => e.complete || !e.getClientRects().length)")
        self.page.evaluate("document.fonts.ready.then(() => null)")
        self.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")

    def theme(self, wanted: str) -> None:
        """Press the button that changes the theme until the wanted one shows."""
        for _ in range(4):
            if self.page.evaluate("document.documentElement.dataset.theme") == wanted:
                return
            self.page.locator("button#mode").click()
        raise AssertionError(f"{self.path}: button#mode never shows {wanted!r}")


UNTIL = """seconds => new Promise((done, late) => {
    const end = performance.now() + 1000 * seconds;
    const look = () => (CONDITION) ? done() : performance.now() < end ? setTimeout(look, 20) : late(new Error("never"));
    look();
})"""


def until(page: Page, condition: str, seconds: float = 30) -> None:
    """Wait for a condition. Playwright's own wait_for_function evaluates text, which the pages' policy forbids."""
    page.evaluate(UNTIL.replace("CONDITION", condition), seconds)


def watched(context: BrowserContext) -> BrowserContext:
    """A context whose pages take down what their security policy refuses."""
    context.add_init_script(WATCH)
    return context


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the built site is served."""
    if not (built.SITE / "index.html").is_file():
        pytest.fail("the site is not built: run `make site`", pytrace=False)
    with serving(built.SITE) as where:
        yield where


@pytest.fixture(scope="session", params=built.soon())
def visit(request, chromium: Browser, address) -> Iterator[Visit]:
    """Each page in a window of its own, with little motion asked for."""
    context = watched(chromium.new_context(viewport=DESK, reduced_motion="reduce", has_touch=True))
    page = context.new_page()
    made = Visit(request.param, address, page, Listener(context), context.new_cdp_session(page))
    page.on("response", lambda response: made.loaded.add(response.url))
    yield made
    context.close()


@pytest.fixture
def desk(visit) -> Visit:
    """Each page on a desk."""
    return visit.by("desk")


@pytest.fixture
def phone(visit) -> Visit:
    """Each page on a small phone with a touch screen."""
    return visit.by("phone")


@pytest.fixture
def disk(visit) -> Visit:
    """Each page as a file, on a desk."""
    return visit.by("disk")


@pytest.fixture
def bare(visit) -> Visit:
    """Each page on a phone whose browser runs no scripts."""
    return visit.by("bare")


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder with axe, installed from the lock file when it is not there yet, by one worker."""
    return installed("axe", "--omit=dev")


def installed(what: str, *only: str) -> Path:
    """The folder that npm fills from the lock file, with all of it or `only` a part."""
    lock, modules = HERE / "package-lock.json", HERE / "node_modules"
    done, note = modules / ".attend-lock", f"{what}\n{lock.read_text()}"
    with FileLock(built.ROOT / "_build" / "npm.lock", timeout=400):
        there = done.read_text() if done.is_file() else ""
        if there not in (note, f"{EVERYTHING}\n{lock.read_text()}"):
            try:
                asked = [*npm_program(), "ci", *only, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
                subprocess.run(asked, cwd=HERE, check=True, timeout=300)
            except (OSError, subprocess.SubprocessError) as trouble:
                missing(f"{what}: npm could not install it into {modules} ({trouble})")
            done.write_text(note)
    return modules
