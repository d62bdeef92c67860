"""The same work for many settings; what a killed process costs is tested where claims are measured (test_measure)."""

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


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_on_ray_it_is_the_same():
    settings = [{"content": bytes([number])} for number in range(3)]
    here, there = (
        {one["content"]: value for one, value, _ in sweep("attend.core.files:digest", settings, jobs=2, on=on)}
        for on in ("here", "ray")
    )
    assert here == there
    assert len(set(here.values())) == 3


@pytest.mark.parametrize("function", ["digest", "attend.core.files", "attend.core.files:nothing", "no.such:thing"])
def test_a_function_that_there_is_not_is_refused_by_name(function):
    with pytest.raises(ValueError, match="function: got"):
        sweep(function, [{}])


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ValueError, match=r"ray: got no such package, expected .*attend-course\[scale\]"):
        list(sweep("attend.core.files:digest", [{"content": b""}], on="ray"))


def calls():
    return {
        sweeps.sweep: lambda: {"function": "attend.core.files:digest", "settings": [{"content": b""}], "jobs": 1},
        sweeps.processes: lambda: {"work": str, "units": [1], "jobs": 1},
        sweeps.on_ray: lambda: {"work": str, "units": [1], "jobs": 1},
    }
