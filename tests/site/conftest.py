"""A visit to a built page: opened once, scrolled to its end, every live figure ready; many tests look at it."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page
from tests.browser import Listener, missing
from tests.site import built
from tests.site.server import serving

from attend_book.node import npm_program

HERE = Path(__file__).parent
DESK = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


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

    def walk(self) -> None:
        """Scroll from top to bottom, so that everything lazy arrives, and wait until each figure is ready."""
        height, step = self.page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
        for top in range(0, height, step):
            self.page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top)
            self.page.wait_for_timeout(20)
        for place in self.figures():
            place.scroll_into_view_if_needed()
            place.locator("[data-figure][data-ready=true]").wait_for(timeout=10_000)
        self.page.wait_for_function("[...document.images].every(e => e.complete || !e.getClientRects().length)")
        self.page.evaluate("document.fonts.ready.then(() => null)")
        self.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")

    def theme(self, wanted: str) -> None:
        """Press the button that changes the theme until the wanted one shows."""
        for _ in range(4):
            if self.page.evaluate("document.documentElement.dataset.theme") == wanted:
                return
            self.page.locator("button#mode").click()
        raise AssertionError(f"{self.path}: button#mode never shows {wanted!r}")


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
        opened = chromium.new_context(**context)
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
    """The folder of axe and Lighthouse, installed from the lock file when it is not there yet."""
    lock, modules = HERE / "package-lock.json", HERE / "node_modules"
    done = modules / ".attend-lock"
    if not done.is_file() or done.read_text() != lock.read_text():
        try:
            asked = [*npm_program(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            subprocess.run(asked, cwd=HERE, check=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as trouble:
            missing(f"axe and Lighthouse: npm could not install them into {modules} ({trouble})")
        done.write_text(lock.read_text())
    return modules
