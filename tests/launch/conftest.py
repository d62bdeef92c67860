"""What a reader has when they launch a page: the repository at its last commit, and no course package.

The commit is tested, not the working tree: that is what Binder and Colab get.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = "chapters/memory/coin.ipynb"
OWN = re.compile(r"attend|__editable__|.*\.pth$|pip$|pip-|_distutils|distutils")


def repository() -> str:
    """The address from which a page installs the course."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"].rstrip("/")


def git(*asked: str, at: Path = ROOT) -> str:
    """Run git and return what it says."""
    return subprocess.run(["git", *asked], cwd=at, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def origin(tmp_path_factory) -> Path:
    """A bare repository that holds this one's last commit as every branch that a page may name."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout: what a launched page installs cannot be tested")
    bare = tmp_path_factory.mktemp("origin") / "attend.git"
    git("clone", "--quiet", "--bare", str(ROOT), str(bare))
    git("update-ref", "refs/heads/main", git("rev-parse", "HEAD"), at=bare)
    return bare


@pytest.fixture(scope="session")
def checkout(origin, tmp_path_factory) -> Path:
    """The last commit as files."""
    where = tmp_path_factory.mktemp("checkout") / "attend"
    git("clone", "--quiet", "--branch", "main", str(origin), str(where))
    return where


@pytest.fixture
def clean_environment(tmp_path) -> dict[str, str]:
    """The environment variables of somebody who has never heard of this repository."""
    ours = ("PYTHON", "JUPYTER", "IPYTHON", "VIRTUAL_ENV", "ATTEND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    home = tmp_path / "home"
    home.mkdir()
    jupyter = {f"JUPYTER_{what}_DIR": str(home / what.lower()) for what in ("CONFIG", "DATA", "RUNTIME")}
    lab = {f"JUPYTERLAB_{what}_DIR": str(home / what.lower()) for what in ("SETTINGS", "WORKSPACES")}
    return {**kept, **jupyter, **lab, "HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
