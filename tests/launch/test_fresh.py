"""Colab's case: torch and Jupyter are there, the course's package is not; the hidden set-up cell brings it."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch
from tests.launch.conftest import OWN, PAGE, repository

pytestmark = pytest.mark.nightly

EXECUTE = """
import sys, nbclient, nbformat
page = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(page, timeout=300, kernel_name="python3").execute()
nbformat.write(page, sys.argv[2])
"""
WHERE = "import attend, sys\nprint(attend.__file__)\nprint(sys.prefix)"


@pytest.fixture
def fresh(tmp_path) -> Path:
    """The python of a new environment that sees everything of this one (by links, no copies) but the course."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "fresh"], check=True)
    here, overlay = Path(torch.__file__).parents[1], tmp_path / "overlay"
    overlay.mkdir()
    for entry in here.iterdir():
        if not OWN.match(entry.name):
            (overlay / entry.name).symlink_to(entry)
    (site,) = (tmp_path / "fresh").glob("lib/python*/site-packages")
    (site / "everything-else.pth").write_text(f"{overlay}\n")
    return tmp_path / "fresh" / "bin" / "python"


def test_the_set_up_cell_brings_the_course(fresh, origin, checkout, clean_environment, tmp_path):
    environment = {
        **clean_environment,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{origin.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": repository(),
        "GIT_TERMINAL_PROMPT": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    place = {"cwd": tmp_path, "env": environment, "text": True, "capture_output": True}
    missing = subprocess.run([fresh, "-c", "import torch, attend"], **place)
    assert "No module named 'attend'" in missing.stderr, missing.stderr

    page = nbformat.read(checkout / PAGE, 4)
    assert repository().removeprefix("https://") in page.cells[0].source, "the first cell installs from elsewhere"
    page.cells.append(nbformat.v4.new_code_cell(WHERE))
    nbformat.write(page, tmp_path / "in.ipynb")
    run = subprocess.run([fresh, "-c", EXECUTE, "in.ipynb", "out.ipynb"], timeout=400, **place)
    assert run.returncode == 0, run.stderr[-3000:]

    done = nbformat.read(tmp_path / "out.ipynb", 4)
    package, prefix = done.cells[-1].outputs[0].text.split()
    assert Path(prefix) == tmp_path / "fresh"
    assert Path(package).is_relative_to(prefix), package
    assert not Path(package).is_relative_to(checkout)
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs)


def test_the_package_does_not_pin_torch():
    asked = [line for line in importlib.metadata.requires("attend-course") or [] if line.startswith("torch")]
    assert asked
    assert "==" not in asked[0], "Colab ships its own torch"
