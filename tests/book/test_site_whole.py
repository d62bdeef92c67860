"""A site is published whole or not at all: builds that are killed, that race, that are refused.

What the tests build is a folder of small files that grows as slowly as asked; all else is the command as it is.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

from attend_book import ROOT, build

PAGES = 40
GROWS = """
import pathlib, sys, time
from attend_book import build

def grow(source, output, *asked):
    html = output / "_build" / "html"
    html.mkdir(parents=True)
    for number in range(PAGES):
        (html / f"{number}.html").write_text(text)
        time.sleep(float(seconds) / PAGES)
    return int(status)

folder, text, seconds, status = sys.argv[1:]
build.jupyter_book = grow
print("begun", flush=True)
sys.exit(build.main(["--source", folder]))
""".replace("PAGES", str(PAGES))


def building(folder, text, seconds=0.0, status=0):
    """The process that builds a site of `PAGES` pages, each with that text."""
    command = [sys.executable, "-c", GROWS, str(folder), text, str(seconds), str(status)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout.readline() == "begun\n"
    return process


def ended(process):
    """Its exit status, once it has one."""
    process.communicate(timeout=60)
    return process.returncode


def shown(folder):
    """The text of the site's pages; fails for a site that is not whole."""
    pages = list((folder / "_build" / "html").iterdir())
    assert len(pages) == PAGES
    (text,) = {page.read_text() for page in pages}
    return text


def folders(folder):
    """The folders that builds have left."""
    return [path.name for path in (folder / "_build").iterdir() if path.is_dir()]


@pytest.fixture
def former(tmp_path):
    """A book whose site says `former`."""
    assert ended(building(tmp_path, "former")) == 0
    return tmp_path


def test_a_new_site_takes_the_place_of_the_former_one(former):
    assert ended(building(former, "new")) == 0
    assert shown(former) == "new"
    assert folders(former) == ["html"]


def test_a_refused_build_fails_and_leaves_the_former_site(former):
    process = building(former, "new", status=3)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "the book was not built" in said
    assert shown(former) == "former"
    assert folders(former) == ["html"]


@pytest.mark.nightly
@pytest.mark.parametrize("after", [0.0, 0.1, 0.2, 0.25, 0.3, 0.35])
def test_a_killed_build_leaves_a_whole_site_and_no_lock(former, after):
    process = building(former, "new", seconds=0.2)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert shown(former) in ("former", "new")
    assert ended(building(former, "newest")) == 0
    assert shown(former) == "newest"
    assert folders(former) == ["html"]


@pytest.mark.nightly
def test_of_builds_at_once_each_waits_for_the_one_before(former):
    processes = [building(former, f"number {number}", seconds=0.3) for number in range(3)]
    assert [ended(process) for process in processes] == [0, 0, 0]
    assert shown(former).startswith("number")
    assert folders(former) == ["html"]


def test_a_site_that_was_moved_aside_when_the_build_was_killed_comes_back(former):
    (former / "_build" / "html").rename(former / "_build" / build.FORMER)
    assert ended(building(former, "new", status=3)) == 3
    assert shown(former) == "former"
    assert folders(former) == ["html"]
