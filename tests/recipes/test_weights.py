"""What comes with the package is what was written: every file of weights and every record under its checksum."""

import importlib
import re

import pytest

import attend.recipes
from attend.core import files
from attend.recipes import WEIGHTS, __main__, read_record, write_record


def test_the_recipes_that_are_listed_can_be_run(capsys, monkeypatch):
    assert __main__.main([]) == 0
    names = re.findall(r"\w+", capsys.readouterr().out.removeprefix("recipes:"))
    assert len(names) > 20
    ran = []
    for name in names:
        monkeypatch.setattr(
            importlib.import_module(f"attend.recipes.{name}"), "export", lambda name=name: ran.append(name)
        )
    assert __main__.main(names) == 0
    assert ran == names
    assert __main__.main(["elman"]) == 2
    assert "NAME: got 'elman', expected one of" in capsys.readouterr().err


def test_checksums_are_written_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(attend.recipes, "WEIGHTS", tmp_path)
    for name in ("b.safetensors", "a.json", "notes.txt"):
        (tmp_path / name).write_text(name)
    assert __main__.main(["--checksums"]) == 0
    assert "a.json, b.safetensors" in capsys.readouterr().out
    assert sorted(files.checksums(tmp_path)) == ["a.json", "b.safetensors"]
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(files.DamagedFile, match=r"^a\.json: got SHA-256"):
        read_record(tmp_path / "a.json")
    __main__.main(["--checksums"])
    assert capsys.readouterr().out == "changed: a.json\n"
    assert read_record(tmp_path / "a.json") == {}


def test_a_record_is_written_with_its_checksum(tmp_path):
    (tmp_path / "CHECKSUMS").touch()
    write_record(tmp_path / "a.json", {"seconds": [1, 2.5]})
    assert read_record(tmp_path / "a.json") == {"seconds": [1, 2.5]}
    (tmp_path / "a.json").write_text('{"seconds": [1, 2.6]}\n')
    with pytest.raises(files.DamagedFile, match=r"^a\.json: got SHA-256"):
        read_record(tmp_path / "a.json")


def test_every_file_is_the_one_that_its_checksum_names():
    known = files.checksums(WEIGHTS)
    assert known is not None, "run python -m attend.recipes --checksums"
    there = {path.name for path in WEIGHTS.iterdir() if path.suffix in (".safetensors", ".json")}
    wrong = known.keys() ^ there
    wrong |= {name for name in there & known.keys() if files.digest((WEIGHTS / name).read_bytes()) != known[name]}
    assert not wrong, f"run python -m attend.recipes --checksums if these are meant: {', '.join(sorted(wrong))}"
