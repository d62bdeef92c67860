"""A JupyterLab on loopback with settings of its own, and a page that is open in it, as a reader uses it.

JupyterLab is started with `--expose-app-in-browser`, its own switch for such tests: the page's cells are read from its
model. Everything that a reader does is done with the mouse and the keys.
"""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Locator, Page, expect

MINUTE = 60_000
QUIET = {
    "disabledExtensions": {
        "@jupyterlab/apputils-extension:announcements": True,
        "@jupyterlab/extensionmanager-extension": True,
    }
}
CELLS = """() => [...jupyterapp.shell.currentWidget.content.model.cells].map(cell => ({
    code: cell.type === "code",
    count: cell.executionCount ?? null,
    busy: cell.executionState === "running",
    outputs: cell.type === "code" ? cell.outputs.toJSON() : [],
}))"""
RESTS = f"""wanted => {{
    const cells = ({CELLS})().filter(cell => cell.code);
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
    const stopped = cells.some(cell => cell.outputs.some(output => output.output_type === "error"));
    const ran = wanted === null ? cells.every(cell => cell.count !== null) : cells.some(cell => cell.count === wanted);
    return kernel?.status === "dead" || (kernel?.status === "idle" && (ran || stopped));
}}"""
SCROLL = "number => jupyterapp.shell.currentWidget.content.scrollToItem(number, 'center')"


@dataclass
class Lab:
    """A running JupyterLab: where it listens, its process, and the folder that it shows."""

    address: str
    server: psutil.Process
    desk: Path

    def kernel(self) -> psutil.Process:
        """The process of the only kernel that runs."""
        (kernel,) = [child for child in self.server.children() if "ipykernel_launcher" in " ".join(child.cmdline())]
        return kernel

    def ours(self, url: str) -> bool:
        """Whether a request stays on this machine."""
        return url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:"))


@contextmanager
def running(home: Path, desk: Path, environment: dict[str, str]):
    """A JupyterLab that shows `desk`, keeps everything of its own below `home`, and is stopped at the end."""
    config = home / "config" / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text(json.dumps(QUIET))
    asked = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={desk}"]
    asked += ["--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--IdentityProvider.token=", "--ServerApp.password="]
    asked += ["--expose-app-in-browser"]
    with open(home / "lab.log", "w") as log:
        server = subprocess.Popen(asked, cwd=desk, env=environment, stdout=log, stderr=log)
    try:
        yield Lab(_address(server, home), psutil.Process(server.pid), desk)
    finally:
        server.terminate()
        server.wait(timeout=60)


def _address(server: subprocess.Popen, home: Path) -> str:
    """Where the server says that it listens."""
    for _ in range(1200):
        for file in (home / "runtime").glob("jpserver-*.json"):
            if file.stat().st_size:
                return json.loads(file.read_text())["url"]
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError((home / "lab.log").read_text()[-2000:])


class Desk:
    """One page in JupyterLab: what its menus, its cells and its keys do."""

    def __init__(self, page: Page, lab: Lab, path: str):
        self.page = page
        page.goto(f"{lab.address}lab/tree/{path}?reset", timeout=2 * MINUTE)
        expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=2 * MINUTE)
        expect(page.get_by_text("(ipykernel) | Idle")).to_be_visible(timeout=2 * MINUTE)

    def menu(self, name: str, entry: str) -> None:
        """Choose an entry of the menu bar."""
        self.page.locator("#jp-MainMenu").get_by_text(name, exact=True).click()
        self.page.get_by_role("menuitem", name=entry, exact=True).click()

    def cells(self) -> list[dict]:
        """Every cell as JupyterLab holds it: its execution count and its outputs."""
        return self.page.evaluate(CELLS)

    def run_all(self) -> None:
        """Clear what is saved in the page, then run all of it, and wait until it rests or has stopped."""
        self.menu("Edit", "Clear Outputs of All Cells")
        assert not any(cell["count"] for cell in self.cells())
        self.menu("Run", "Run All Cells")
        self.page.wait_for_function(RESTS, arg=None, timeout=10 * MINUTE, polling=250)

    def cell(self, number: int) -> Locator:
        """A cell by its place in the page, brought into view (JupyterLab draws only what is near)."""
        self.page.evaluate(SCROLL, number)
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"]')

    def answer(self, number: int, text: str) -> list[dict]:
        """Type a text over a code cell and run it by Control+Enter; returns its outputs."""
        count = 1 + max(cell["count"] or 0 for cell in self.cells())
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(RESTS, arg=count, timeout=2 * MINUTE, polling=50)
        return self.cells()[number]["outputs"]

    def shut(self) -> None:
        """Close the page and stop its kernel."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")


def peak(process: psutil.Process) -> float:
    """The most memory that a process has held, in MB; where the system does not keep it, what it holds now."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except FileNotFoundError:
        return process.memory_info().rss / 1e6
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024 / 1e6
