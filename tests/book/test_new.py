"""`make new` in a copy of the checkout: what it writes runs, and is refused until it is written."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.house.test_published import told

from attend_book import ROOT, new

KEPT = ("_config.yml", "_toc.yml", "pyproject.toml", "book/references.bib")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A checkout, as far as a system needs it."""
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("src", "tests", "chapters", "benchmarks"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    for name in KEPT:
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def run(root, *command):
    """A command in the copy: its exit status and what it said."""
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    asked = [sys.executable, "-m", *command]
    done = subprocess.run(asked, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def snapshot(root):
    """Every file of the copy that is written by hand, with its content."""
    paths = [path for folder in ("src", "tests", "chapters") for path in (root / folder).rglob("*.*") if path.is_file()]
    kept = (path for path in paths if path.suffix in (".py", ".js", ".md") and "skeleton" not in path.parts)
    return {path: path.read_bytes() for path in [*kept, root / "_toc.yml"]}


@pytest.fixture(scope="module")
def made(copy):
    """The files of a new system, with what stands in each."""
    before = snapshot(copy)
    status, said = run(copy, "attend_book", "new", "soft/tiny_window")
    assert status == 0, said
    after = snapshot(copy)
    return {path.relative_to(copy).as_posix(): text for path, text in after.items() if before.get(path) != text}


@pytest.mark.nightly
def test_what_is_written_is_linted_and_passes_its_tests(copy, made):
    python = [name for name in made if name.endswith(".py")]
    assert run(copy, "ruff", "check", "--no-cache", *python)[0] == 0
    assert run(copy, "ruff", "format", "--no-cache", "--check", *python)[0] == 0
    tests = [name for name in made if name.startswith("tests/") and "test_" in name]
    status, said = run(copy, "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert status == 0, said


def test_a_skeleton_may_not_be_committed(made):
    written = {name: list(told(name, content)) for name, content in made.items()}
    page = "chapters/soft/tiny_window.md"
    assert written[page][0].startswith(f"{page}:3 is unfinished")
    assert written["src/attend/soft/tiny_window.py"]


@pytest.mark.nightly
def test_its_page_runs_and_the_house_rules_hold(copy, made):
    status, said = run(copy, "attend_book", "pages", "soft/tiny_window")
    assert status == 0, said
    (lack,) = re.findall(r"not whole yet: (.*)", said)
    assert new.OPEN in lack
    house = ["tests/house/test_mirror.py", "tests/house/test_bad_input.py", "tests/house/test_exercises.py"]
    wanted = ["-k", "tiny_window or mirror or every_public"]
    status, said = run(copy, "pytest", "-q", "-p", "no:cacheprovider", *house, *wanted)
    assert status == 0, said


@pytest.mark.parametrize(
    ("system", "why"),
    [
        ("tiny", "one of gating"),
        ("deep/tiny", "one of gating"),
        ("soft/Tiny", "one of gating"),
        ("soft/../tiny", "one of gating"),
        ("soft/class", "one of gating"),
        ("soft/coin", "chapters/memory/coin.md"),
        ("soft/kit", "src/attend/live/kit"),
    ],
)
def test_a_name_that_does_not_fit_or_is_taken_is_refused(copy, capsys, system, why):
    before = snapshot(copy)
    assert new.main([system, "--root", str(copy)]) == 2
    said = capsys.readouterr().err
    assert f"SYSTEM: got {system!r}" in said
    assert why in said
    assert snapshot(copy) == before


def test_when_one_file_cannot_be_written_none_is(copy, monkeypatch, capsys):
    before, folders = snapshot(copy), {path for path in copy.rglob("*") if path.is_dir()}

    def full(root, places):
        raise OSError("no space left on device")

    monkeypatch.setattr(new, "tidy", full)
    assert new.main(["hard/other", "--root", str(copy)]) == 2
    assert "no space left" in capsys.readouterr().err
    assert snapshot(copy) == before
    assert {path for path in copy.rglob("*") if path.is_dir()} == folders
