"""What a reader has when they launch a page: the repository at its last commit, and no course package.

The commit is tested, not the working tree: that is what Binder and Colab get.
"""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml
from tests.browser import missing

ROOT = Path(__file__).resolve().parents[2]
PAGE = "chapters/memory/coin.ipynb"
OWN = re.compile(r"attend|__editable__|.*\.pth$|pip$|pip-|_distutils|distutils")


def repository() -> str:
    """The address from which a page installs the course."""
    return _configured()["url"].rstrip("/")


def _configured() -> dict[str, str]:
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]


def git(*asked: str, at: Path = ROOT) -> str:
    """Run git and return what it says."""
    return subprocess.run(["git", *asked], cwd=at, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def checkout(tmp_path_factory) -> Path:
    """The last commit as files, in a repository of its own with one commit (this one may be shallow), tagged."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        missing("this is no git checkout, so what a launched page installs cannot be tested")
    where = tmp_path_factory.mktemp("launch") / "attend"
    git("archive", "--format=tar", f"--output={where}.tar", "HEAD")
    # Python 3.11.2, which Debian has, knows no extraction filters yet; the archive is git's own.
    careful = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(f"{where}.tar", where, **careful)
    git("init", "--quiet", "--initial-branch=main", at=where)
    git("add", "--all", "--force", at=where)
    git("-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message=Last", at=where)
    git("tag", _configured()["branch"], at=where)
    return where


@pytest.fixture(scope="session")
def origin(checkout) -> Path:
    """The same as a bare repository, to clone from."""
    git("clone", "--quiet", "--bare", str(checkout), f"{checkout}.git")
    return Path(f"{checkout}.git")


def as_a_stranger(home: Path) -> dict[str, str]:
    """The environment variables of somebody who has never heard of this repository and lives in `home`."""
    ours = ("PYTHON", "JUPYTER", "IPYTHON", "VIRTUAL_ENV", "ATTEND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    home.mkdir(parents=True)
    jupyter = {f"JUPYTER_{what}_DIR": str(home / what.lower()) for what in ("CONFIG", "DATA", "RUNTIME")}
    lab = {f"JUPYTERLAB_{what}_DIR": str(home / what.lower()) for what in ("SETTINGS", "WORKSPACES")}
    return {**kept, **jupyter, **lab, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}


@pytest.fixture
def clean_environment(tmp_path) -> dict[str, str]:
    """Such an environment, with a home of this test's own."""
    return as_a_stranger(tmp_path / "home")
