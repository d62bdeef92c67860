"""The Makefile says what it can do, refuses a Python that does not fit, and counts its tests as they were."""

import re
import shutil
import subprocess

import pytest
from tests.tally import tally

from attend_book import ROOT


def make(folder, *arguments):
    """`make …` in a folder."""
    command = ["make", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_help_lists_every_target():
    targets = set(re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.M)[1].split())
    listed = set(re.findall(r"^make ([\w-]+)", make(ROOT, "help").stdout, flags=re.M))
    assert listed == targets - {"help", "whole"}  # what test and test-all share


def test_a_python_that_does_not_fit_is_refused_in_words(tmp_path):
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "python-of-old"
    old.write_text("#!/bin/sh\n[ $1 = -V ] && echo Python 3.9.2\nexit 1\n")
    old.chmod(0o755)
    done = make(tmp_path, "site", f"PYTHON={old}")
    assert done.returncode != 0
    assert "needs Python 3.11, 3.12 or 3.13" in done.stdout
    assert "Python 3.9.2" in done.stdout
    assert not (tmp_path / ".venv" / ".made").exists()


def test_pins_are_exact_and_name_no_place():
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[-1] == "-e ."
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line) for line in lines[:-1])
    assert "torch==2.13.0" in lines


JUNIT = '<testsuites><testsuite tests="{}" failures="{}" errors="{}" skipped="{}"></testsuite></testsuites>'


@pytest.mark.parametrize(
    ("runs", "counted"),
    [
        ([(10, 0, 0, 0)], (10, 0, 0)),
        ([(10, 1, 2, 3), (5, 0, 0, 1)], (8, 3, 4)),
        ([(10, 0, 0, 0), None], (10, 1, 0)),
    ],
)
def test_tally(tmp_path, runs, counted):
    paths = [tmp_path / f"{number}.xml" for number in range(len(runs))]
    for path, run in zip(paths, runs, strict=True):
        if run:
            path.write_text(JUNIT.format(*run))
    assert tally(paths) == counted
