"""The workflows: what they run and refer to is there. Rights, pins and syntax are for zizmor and GitHub's schema."""

import re

import pytest
import yaml
from tests.launch.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def read(file) -> dict:
    """A workflow; YAML 1.1 reads the key `on` as true."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["on"] = content.pop(True, content.get("on"))
    return content


def test_what_they_run_is_there():
    jobs = [job for file in FILES for job in read(file)["jobs"].values()]
    ran = "\n".join(step.get("run", "") for job in jobs for step in job.get("steps", []))
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = " ".join(re.findall(r"^([\w -]+):(?!=)", made, re.MULTILINE)).split()
    assert "make check" in ran
    assert set(re.findall(r"\bmake ([\w-]+)", ran)) <= set(targets)


@each
def test_nothing_runs_for_ever(file):
    jobs = read(file)["jobs"]
    own = {name: job.get("timeout-minutes", 0) for name, job in jobs.items() if "uses" not in job}
    assert not [name for name, minutes in own.items() if not 0 < minutes <= 330]


@each
def test_what_a_workflow_refers_to_is_there(file):
    workflow = read(file)
    asked = set(re.findall(r"\binputs\.([\w-]+)", file.read_text(encoding="utf-8")))
    taken = (workflow["on"].get("workflow_call") or {}).get("inputs", {}) if "workflow_call" in workflow["on"] else {}
    assert asked <= set(taken), f"no such input: {asked - set(taken)}"
    for name, job in workflow["jobs"].items():
        needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
        assert set(needs) <= set(workflow["jobs"]), name
        if "uses" in job:
            called = read(ROOT / job["uses"])["on"]["workflow_call"] or {}
            assert set(job.get("with", {})) <= set(called.get("inputs", {})), name
