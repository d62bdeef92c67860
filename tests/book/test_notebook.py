"""Pages as files: found by name, written whole."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from attend_book import ROOT, Refused, notebook


def test_a_page_is_found_by_path_by_part_and_by_name():
    path = ROOT / "chapters" / "memory" / "coin.md"
    for said in ("chapters/memory/coin.ipynb", "memory/coin", "coin", path):
        assert notebook.find(said).resolve() == path
    with pytest.raises(Refused, match="nowhere: no such page"):
        notebook.find("nowhere")


def test_no_part_of_a_file_is_ever_seen(tmp_path, monkeypatch):
    target = tmp_path / "page.ipynb"
    target.write_text("old")

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(notebook.os, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        notebook.write_whole(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.nightly
def test_what_a_killed_writer_left_is_gone_after_the_next_one(tmp_path):
    target = tmp_path / "page.ipynb"
    writes = (
        "import os\nfrom attend_book import notebook\nnotebook.os.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        f"notebook.write_whole({str(target)!r}, 'half')"
    )
    assert subprocess.run([sys.executable, "-c", writes], cwd=ROOT / "src", check=False).returncode == -signal.SIGKILL
    assert not target.exists()
    notebook.write_whole(target, "whole")
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path):
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "page.ipynb", tmp_path / "page.ipynb"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    notebook.write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_many_writers_of_one_file_lose_no_line(tmp_path):
    target = tmp_path / "lines"
    target.write_text("")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: notebook.write_whole(target, lambda: f"{target.read_text()}{n}\n"), range(100)))
    assert sorted(map(int, target.read_text().split())) == list(range(100))
