"""What Binder would do, by its own program's dry run; no container is built."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from tests.launch.conftest import ROOT, git
from tests.site import built

import attend

BINDER = ROOT / ".binder"
BUTTON = re.compile(
    r"/(?:v2/gh/[^/]+/[^/]+/(?P<binder>[^?]+)\?urlpath=lab/tree"
    r"|github/[^/]+/[^/]+/blob/(?P<colab>[^/]+))/(?P<path>\S+\.ipynb)$"
)


@pytest.mark.nightly
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


def test_binder_installs_what_is_locked_and_from_another_index_torch_alone():
    assert "-r ../requirements.lock" in (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert os.access(BINDER / "postBuild", os.X_OK)
    steps = (BINDER / "postBuild").read_text(encoding="utf-8").splitlines()
    foreign = [line for line in steps if "index-url" in line]
    assert len(foreign) == 1
    assert {"--no-deps", "--index-url", '"$torch"'} <= set(foreign[0].split())
    everything = [*BINDER.iterdir(), *ROOT.glob("requirements*"), *ROOT.glob(".github/workflows/*")]
    both = [path.name for path in everything if re.search("extra.index.url", path.read_text("utf-8"), re.IGNORECASE)]
    assert not both, "of two indexes pip takes whichever has the higher version"
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in pinned if line and not line.startswith(("#", "-e"))]
    assert not [line for line in wanted if "==" not in line]
    assert any(re.fullmatch(r"torch==[\d.]+", line) for line in wanted)


def test_what_pages_install_is_the_release_that_they_belong_to():
    tag = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["branch"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert tag == f"v{project['version']}" == f"v{citation['version']}" == f"v{attend.__version__}"
    if os.environ.get("GITHUB_REF_TYPE") == "tag":
        assert os.environ["GITHUB_REF_NAME"] == tag, "pages would install another release than this one"


@pytest.mark.nightly
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
