"""A reader opens a page in JupyterLab and runs all of it: the live figure stands there and answers the keyboard."""

import json
import shutil
import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect
from tests.launch.conftest import PAGE, ROOT
from tests.site import driver

pytestmark = [pytest.mark.site, pytest.mark.slow]

QUIET = {
    "disabledExtensions": {
        "@jupyterlab/apputils-extension:announcements": True,
        "@jupyterlab/extensionmanager-extension": True,
    }
}


@pytest.fixture
def lab(clean_environment, tmp_path):
    """The address of a JupyterLab on loopback, with settings of its own and one page in its folder."""
    desk = tmp_path / "desk"
    desk.mkdir()
    shutil.copy(ROOT / PAGE, desk / "page.ipynb")
    config = tmp_path / "home" / "config" / "labconfig"
    config.mkdir(parents=True)
    (config / "page_config.json").write_text(json.dumps(QUIET))
    asked = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={desk}"]
    asked += ["--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--IdentityProvider.token=", "--ServerApp.password="]
    environment = {**clean_environment, "PYTHONPATH": str(ROOT / "src")}
    with open(tmp_path / "lab.log", "w") as log:
        server = subprocess.Popen(asked, cwd=desk, env=environment, stdout=log, stderr=log)
    try:
        yield address(server, tmp_path)
    finally:
        server.terminate()
        server.wait(timeout=30)


def address(server, where) -> str:
    """Where the server says that it listens."""
    for _ in range(300):
        for file in (where / "home" / "runtime").glob("jpserver-*.json"):
            if file.stat().st_size:
                return json.loads(file.read_text())["url"]
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError((where / "lab.log").read_text()[-2000:])


def test_run_all_and_use_the_figure(chromium, lab):
    abroad = []
    with chromium.new_context(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce") as context:
        context.on("request", lambda request: abroad.append(request.url) if not ours(request.url, lab) else None)
        page = context.new_page()
        page.goto(f"{lab}lab/tree/page.ipynb?reset")
        expect(page.locator(".jp-Notebook .jp-Cell").first).to_be_visible(timeout=60_000)
        expect(page.get_by_text("(ipykernel) | Idle")).to_be_visible(timeout=60_000)
        page.locator("#jp-MainMenu").get_by_text("Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        figure = page.locator("[data-figure][data-ready=true]").first
        figure.wait_for(state="attached", timeout=120_000)
        figure.scroll_into_view_if_needed()
        cells = page.locator(".jp-Notebook .jp-Cell").count()
        inert, seen, used = driver.by_keyboard(figure)
        assert used
        assert not inert, f"JupyterLab takes their keys: {inert}"
        assert seen[1]
        assert page.locator(".jp-Notebook .jp-Cell").count() == cells
        assert not page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count()
    assert not abroad, abroad[:5]


def ours(url: str, lab: str) -> bool:
    """Whether a request stays on this machine."""
    return url.startswith((lab, lab.replace("http", "ws"), "data:", "blob:"))
