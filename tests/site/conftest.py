"""A visit to a built page: opened once, scrolled to its end, every live figure ready; many tests look at it."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Locator, Page
from tests.browser import Listener, missing
from tests.site import built
from tests.site.server import serving

from attend_book.node import npm_program

HERE = Path(__file__).parent
DESK = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
WATCH = """window.refused = []; addEventListener("securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sample }) => refused.push(`${effectiveDirective}: ${blockedURI} ${sample}`));"""
REFUSED = "refused"
SCREEN = """top => new Promise((drawn) => {
    scrollTo({ top, behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(drawn));
})"""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """On several workers, what looks at one page stays on one of them: the page is loaded once."""
    for item in items:
        given = getattr(item, "callspec", None)
        page = given and next((given.params[name] for name in ("desk", "phone", "path") if name in given.params), None)
        if page and item.get_closest_marker("site"):
            item.add_marker(pytest.mark.xdist_group(page))


@dataclass
class Visit:
    """An open page of the site."""

    path: str
    page: Page
    heard: Listener
    loaded: set[str] = field(default_factory=set)

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


@pytest.fixture(scope="session")
def visit(chromium: Browser):
    """`visit(url, path, **context)`: open a page and walk it; closed by the caller."""

    def go(url: str, path: str, **context) -> Visit:
        opened = watched(chromium.new_context(**context))
        made = Visit(path, opened.new_page(), Listener(opened))
        made.page.on("response", lambda response: made.loaded.add(response.url))
        made.page.goto(url)
        made.walk()
        return made

    return go


@pytest.fixture(scope="session", params=built.visits())
def desk(request, visit, address) -> Iterator[Visit]:
    """Each page on a desk, with little motion asked for."""
    made = visit(address + request.param, request.param, **DESK)
    yield made
    made.page.context.close()


@pytest.fixture(scope="session", params=built.visits())
def phone(request, visit, address) -> Iterator[Visit]:
    """Each page on a small phone with a touch screen."""
    made = visit(address + request.param, request.param, **PHONE)
    yield made
    made.page.context.close()


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder of axe and Lighthouse, installed from the lock file when it is not there yet, by one worker."""
    lock, modules = HERE / "package-lock.json", HERE / "node_modules"
    done = modules / ".attend-lock"
    with FileLock(built.ROOT / "_build" / "npm.lock", timeout=400):
        if not done.is_file() or done.read_text() != lock.read_text():
            try:
                asked = [*npm_program(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
                subprocess.run(asked, cwd=HERE, check=True, timeout=300)
            except (OSError, subprocess.SubprocessError) as trouble:
                missing(f"axe and Lighthouse: npm could not install them into {modules} ({trouble})")
            done.write_text(lock.read_text())
    return modules
