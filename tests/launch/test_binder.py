"""What Binder would do, by its own program's dry run; no container is built."""

import subprocess
import sys
from pathlib import Path

from tests.launch.conftest import ROOT

BINDER = ROOT / ".binder"


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
