"""The workflows: each action by its full commit, no more rights than needed, nothing that runs for ever."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.launch.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
RIGHTS = {"deploy.yml": {"pages": "write", "id-token": "write"}}
INJECTED = """jobs:
  greet:
    runs-on: ubuntu-24.04
    timeout-minutes: 1
    steps:
      - run: echo "${{ github.event.head_commit.message }}\"
"""
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
    assert {"make check", "make test", "make launch", "make site"} <= set(ran)
    known = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"check", "test", "launch", "site"} <= set(known)
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


def test_the_weekly_run_asks_what_a_push_cannot():
    ran = [step.get("run") for job in read(FOLDER / "weekly.yml")["jobs"].values() for step in job.get("steps", [])]
    assert {"make links", "make audit"} <= set(ran)


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


def linted(tree) -> subprocess.CompletedProcess:
    """What `make lint-workflows` runs, run in another tree."""
    show = ["make", "--file", str(ROOT / "Makefile"), "--eval", "show: ; @printf '%s' '$(WORKFLOWS)'", "show"]
    command = subprocess.run(show, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=tree, shell=True, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )


BROKEN = {
    "a stranger's words in a shell": ("push.yml", "jobs:\n", f"{INJECTED}\n", "template-injection"),
    "an action by its tag": (
        "course.yml",
        "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1",
        "a/b@v1",
        "unpinned",
    ),
    "a key that GitHub does not know": ("deploy.yml", "timeout-minutes", "timeout_minutes", "timeout_minutes"),
}


@pytest.mark.parametrize(("name", "old", "new", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_workflow_is_found(tmp_path, name, old, new, said):
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    file = tmp_path / ".github" / "workflows" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    found = linted(tmp_path)
    assert found.returncode
    assert said in found.stdout + found.stderr


def test_a_citation_without_authors_is_found(tmp_path):
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text(re.sub(r"authors:\n  - .*\n", "", text), encoding="utf-8")
    found = linted(tmp_path)
    assert found.returncode
    assert "'authors' is a required property" in found.stdout + found.stderr
