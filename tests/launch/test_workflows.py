"""The workflows: each action by its full commit, no more rights than needed, nothing that runs for ever."""

import re

import pytest
import yaml
from tests.launch.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
RIGHTS = {"deploy.yml": {"pages": "write", "id-token": "write"}}
each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def read(file) -> dict:
    """A workflow; YAML 1.1 reads the key `on` as true."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["on"] = content.pop(True, content.get("on"))
    return content


def test_they_are_there():
    assert {file.name for file in FILES} == {"course.yml", "deploy.yml", "push.yml", "seeds.yml", "weekly.yml"}
    assert {"push", "pull_request"} <= set(read(FOLDER / "push.yml")["on"])
    assert read(FOLDER / "weekly.yml")["on"]["schedule"][0]["cron"].split()[4] != "*"


def test_every_push_checks_tests_and_builds():
    ran = [step.get("run") for job in read(FOLDER / "course.yml")["jobs"].values() for step in job["steps"]]
    assert {"make check", "make test", "make site"} <= set(ran)
    known = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"check", "test", "site"} <= set(known)
    assert "NEWEST" in (ROOT / "Makefile").read_text(encoding="utf-8"), "the weekly run sets NEWEST=1"


def test_every_week_claims_meet_other_seeds_and_their_table_is_kept():
    called = [job["uses"].rpartition("/")[2] for job in read(FOLDER / "weekly.yml")["jobs"].values() if "uses" in job]
    assert "seeds.yml" in called
    (job,) = read(FOLDER / "seeds.yml")["jobs"].values()
    measured, table = job["steps"][-2:]
    assert measured["run"] == "make seeds"
    assert "!cancelled()" in table["if"], "a table of claims that failed is the one to read"
    assert "_build/seeds/claims.md" in table["run"]
    assert re.search(
        r"^seeds: .*\n\t.*attend_book seeds", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )


@each
def test_actions_are_pinned_by_commit(file):
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if re.search(r"\buses:", line)]
    for line in lines:
        local = re.search(r"uses: (\./\.github/workflows/\S+)$", line)
        pinned = re.search(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)
        assert pinned or (local and (ROOT / local[1]).is_file()), line


@each
def test_rights_are_the_least(file):
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        granted = {right: how for right, how in job.get("permissions", {}).items() if how != "read"}
        called = job.get("uses", "").rpartition("/")[2]
        assert granted == RIGHTS.get(called, RIGHTS.get(file.name, {})), name


@each
def test_nothing_runs_for_ever_or_twice(file):
    workflow = read(file)
    for name, job in workflow["jobs"].items():
        assert "uses" in job or 0 < job["timeout-minutes"] <= 60, name
    if set(workflow["on"]) != {"workflow_call"} or file.name == "deploy.yml":
        assert "group" in workflow["concurrency"]


@each
def test_no_expression_of_a_stranger_reaches_a_shell(file):
    for job in read(file)["jobs"].values():
        for step in job.get("steps", []):
            assert "${{" not in step.get("run", ""), step
