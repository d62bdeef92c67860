"""README, ARCHITECTURE and CONTRIBUTING name what is there: paths, commands, modules."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TEXTS = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
}
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
each = pytest.mark.parametrize("name", TEXTS)


def paths(text):
    """The paths that a text names; where it says <name> or X, any name will do."""
    found = re.findall(r"(?<![\w./-])((?:src|tests|book|chapters|benchmarks|\.github|\.binder)/[\w./<>-]*)", text)
    return {re.sub(r"<\w+>|\bX\b", "*", path).rstrip(".") for path in found}


def absent(text):
    """The paths of a text that lead to no file; a built file never."""
    for path in sorted(paths(text)):
        places = [path, f"src/attend/{path}", f"{path}.md"]
        if not any(any(ROOT.glob(place.strip("/"))) for place in places):
            yield path


def unknown(text):
    """The modules, functions and classes of ours that a text names and that cannot be imported."""
    for name in sorted(set(re.findall(r"(?<![\w./-])(attend(?:_book)?(?:\.\w+)+)(?![\w./<]|\.<)", text))):
        module, _, last = name.rpartition(".")
        try:
            if not hasattr(importlib.import_module(module), last):
                importlib.import_module(name)
        except ModuleNotFoundError:
            yield name


@each
def test_paths_commands_and_names_are_there(name):
    text = TEXTS[name]
    asked = set(re.findall(r"(?:`|^ *)make ([a-z][a-z-]*)", text, re.MULTILINE))
    assert not list(absent(text))
    assert asked <= TARGETS, asked - TARGETS
    assert not list(unknown(text))


def test_the_citation_is_of_this_version_and_names_no_person():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert [sorted(author) for author in cited["authors"]] == [["name"]], "the contributors are cited together"
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "The MIT licence:" in licence
    assert "CC BY 4.0" in licence or "Attribution 4.0" in licence
