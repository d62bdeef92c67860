"""Files are written whole or not at all, and read only as they were written."""

import multiprocessing
import os
import tempfile
from pathlib import Path

import pytest

from attend.core import files


def test_without_checksums_anything_is_read(tmp_path):
    files.write(tmp_path / "deep" / "a", b"x")
    (tmp_path / "deep" / "a").write_bytes(b"y")
    assert files.read(tmp_path / "deep" / "a") == b"y"
    with pytest.raises(files.DamagedFile, match="b: the file is missing"):
        files.read(tmp_path / "b")


def test_a_write_that_fails_changes_nothing(tmp_path, monkeypatch):
    files.write(tmp_path / "CHECKSUMS", b"")
    files.write(tmp_path / "a", b"old")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_):
        raise OSError("disk full")

    for step in ("fsync", "chmod", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fail)
            with pytest.raises(OSError, match="disk full"):
                files.write(tmp_path / "a", b"new")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def _some(folder, name, ready):
    ready.wait()
    for n in range(6):
        files.write(folder / f"{name}{n}", b"x")


def test_writers_side_by_side_lose_no_line(tmp_path):
    files.write(tmp_path / "CHECKSUMS", b"")
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(4)
    writers = [context.Process(target=_some, args=(tmp_path, name, ready)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(files.checksums(tmp_path)) == sorted(f"{name}{n}" for name in "abcd" for n in range(6))


def test_who_has_a_folder_may_ask_for_it_again(tmp_path):
    with files.alone(tmp_path), files.alone(tmp_path):
        files.write(tmp_path / "a", b"x")
    with files.alone(tmp_path):
        pass


def test_each_file_has_one_line(tmp_path):
    files.write_checksums(tmp_path, ".a")
    for name in ("2.a", "1.a", "2.a"):
        files.write(tmp_path / name, name.encode())
    lines = (tmp_path / "CHECKSUMS").read_text().splitlines()
    assert [line.split()[1] for line in lines] == ["1.a", "2.a"]
    (tmp_path / "1.a").unlink()
    assert files.write_checksums(tmp_path, ".a") == ["1.a"]
    assert list(files.checksums(tmp_path)) == ["2.a"]


def calls():
    def folder():
        place = Path(tempfile.mkdtemp())
        files.write(place / "a.json", b"{}")
        return place

    return {
        files.read: lambda: {"path": folder() / "a.json"},
        files.write: lambda: {"path": folder() / "b.json", "content": b"{}"},
        files.alone: lambda: {"folder": folder()},
        files.checksums: lambda: {"folder": folder()},
        files.write_checksums: lambda: {"folder": folder()},
        files.digest: lambda: {"content": b"{}"},
    }
