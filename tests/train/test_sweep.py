"""The same work for many settings: here and on Ray, and what a worker costs that is killed."""

import sys

import pytest

from attend.train import sweep as sweeps
from attend.train.sweep import sweep


def test_every_setting_comes_back_with_its_result_and_a_failed_one_loses_itself_alone():
    settings = [{"steps": steps, "optimiser": None} for steps in (1, 2)]
    found = {one["steps"]: wrong for one, value, wrong in sweep("attend.train.schedule:one_cycle", settings, jobs=2)}
    assert found.keys() == {1, 2}
    assert all("optimiser: got None" in wrong for wrong in found.values())
    ((one, value, wrong),) = sweep("attend.core.files:digest", [{"content": b""}])
    assert (one, value[:8], wrong) == ({"content": b""}, "e3b0c442", "")


ONCE = """
import os
from pathlib import Path

def twice(x, folder):
    if x == 1 and not Path(folder, "killed").exists():
        Path(folder, "killed").touch()
        os.kill(os.getpid(), 9)
    return 2 * x
"""
"""A worker that `kill -9` ends the first time."""


@pytest.fixture
def once(tmp_path, monkeypatch):
    """Settings for a module of this name, in a folder of its own."""
    (tmp_path / "killed_once.py").write_text(ONCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield [{"x": x, "folder": str(tmp_path)} for x in (0, 1)]
    sys.modules.pop("killed_once", None)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # of Ray
def test_on_ray_a_unit_whose_worker_was_killed_is_begun_again(once, tmp_path):
    found = {one["x"]: (value, wrong) for one, value, wrong in sweep("killed_once:twice", once, jobs=2, on="ray")}
    assert found == {0: (0, ""), 1: (2, "")}
    assert (tmp_path / "killed").exists(), "no worker was killed"


def test_here_it_is_lost_alone(once):
    found = {one["x"]: (value, wrong) for one, value, wrong in sweep("killed_once:twice", once, jobs=2)}
    assert found == {0: (0, ""), 1: (None, "its process ended with status -9")}


@pytest.mark.parametrize("function", ["digest", "attend.core.files", "attend.core.files:nothing", "no.such:thing"])
def test_a_function_that_there_is_not_is_refused_by_name(function):
    with pytest.raises(ValueError, match="function: got"):
        sweep(function, [{}])


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"ray: got no such package, expected .*attend-course\[scale\]"):
        list(sweep("attend.core.files:digest", [{"content": b""}], on="ray"))


def calls():
    return {
        sweeps.sweep: lambda: {"function": "attend.core.files:digest", "settings": [{"content": b""}], "jobs": 1},
        sweeps.processes: lambda: {"work": str, "units": [1], "jobs": 1},
        sweeps.on_ray: lambda: {"work": str, "units": [1], "jobs": 1},
    }
