"""What Binder would do, by its own program's dry run; no container is built."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.launch.conftest import ROOT, git
from tests.site import built

BINDER = ROOT / ".binder"
BUTTON = re.compile(
    r"/(?:v2/gh/[^/]+/[^/]+/(?P<binder>[^?]+)\?urlpath=lab/tree"
    r"|github/[^/]+/[^/]+/blob/(?P<colab>[^/]+))/(?P<path>\S+\.ipynb)$"
)


def test_repo2docker_finds_python_and_requirements(checkout, clean_environment):
    program = Path(sys.executable).parent / "jupyter-repo2docker"
    asked = [program, "--no-build", "--debug", "--user-id", "1000", "--user-name", "reader", "."]
    run = subprocess.run(asked, cwd=checkout, env=clean_environment, capture_output=True, text=True, timeout=120)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said[-2000:]
    wanted = (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")
    assert (3, 11) <= tuple(map(int, wanted.split("."))) <= (3, 13)
    assert f"conda environment for python={wanted}" in said
    assert 'pip install --no-cache-dir -r ".binder/requirements.txt"' in said


def test_binder_installs_what_is_pinned():
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-r ../requirements.txt" in lines
    assert "--extra-index-url https://download.pytorch.org/whl/cpu" in lines
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-e ." in pinned
    assert not [line for line in pinned if "index-url" in line], "an unreachable index costs seconds a package"
    wanted = [line for line in pinned if line and not line.startswith(("#", "-e"))]
    assert not [line for line in wanted if "==" not in line]
    assert any(line.startswith("torch==") and "+" not in line for line in wanted)


@pytest.mark.site
def test_every_button_opens_a_file_of_the_last_commit(origin):
    pages = built.notebooks()
    assert pages, "the site is not built; run make site"
    for page in pages:
        links = [unquote(a.get("href", "")) for a in built.markup(page).all("a")]
        found = [match for link in links if (match := BUTTON.search(link))]
        assert len(found) == 2, f"{page}: {len(found)} buttons, expected Binder's and Colab's"
        for button in found:
            committed = git("cat-file", "-t", f"{button['binder'] or button['colab']}:{button['path']}", at=origin)
            assert committed == "blob", f"{page}: {button[0]}"
            assert Path(button["path"]).with_suffix(".html") == Path(page)
