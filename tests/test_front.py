"""README, ARCHITECTURE and CONTRIBUTING name what is there: paths, commands, modules, rooms and their arrows."""

import importlib
import re
import tomllib
from pathlib import Path

import grimp
import pytest
import yaml

ROOT = Path(__file__).parents[1]
TEXTS = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
}
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
MODELS = ("memory", "gating", "soft", "hard", "transformers")
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
    asked = set(re.findall(r"(?:`|^ *)make ([a-z-]+)", text, re.MULTILINE))
    assert not list(absent(text))
    assert asked <= TARGETS, asked - TARGETS
    assert not list(unknown(text))


def test_what_is_not_there_is_named():
    text = "`src/attend/nowhere.py`, `attend.core.nothing` and `book/intro.md`, `attend.core.expect.checked`"
    assert list(absent(text)) == ["src/attend/nowhere.py"]
    assert list(unknown(text)) == ["attend.core.nothing"]


def rooms():
    """The rooms that ARCHITECTURE describes, in its order, with what each may import."""
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", TEXTS["ARCHITECTURE.md"], re.MULTILINE)
    return {room: allowed(said) for room, said in rows}


def allowed(said):
    """The rooms that the words of the last column let in."""
    words = re.findall(r"\w+", said)
    below = MODELS[: MODELS.index(words[0]) + 1] if words[1:] == ["and", "below"] else ()
    every = MODELS if "models" in words else ()
    return (
        {"core", *below, *every, *(set(words) & {"core", *MODELS, "tasks", "train"})}
        if words != ["nothing", "of", "ours"]
        else set()
    )


def test_the_rooms_are_those_that_stand():
    standing = {path.stem for path in (ROOT / "src" / "attend").iterdir() if path.suffix in ("", ".py")}
    assert set(rooms()) == standing - {"__init__", "__pycache__"}


def test_the_rooms_stand_in_the_order_of_the_contract():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    told = [room for room in rooms() if room in contract["layers"]]
    taught = [room for room in reversed(contract["layers"]) if room in ("core", *MODELS)]
    assert told[: len(taught)] == taught


def test_no_room_imports_what_its_row_does_not_let_in():
    graph, told = grimp.build_graph("attend", cache_dir=None), rooms()
    broken = [
        f"{importer} imports {imported}"
        for importer in graph.modules - {"attend"}
        for imported in graph.find_modules_directly_imported_by(importer)
        if imported != "attend" and _room(imported) not in told[_room(importer)] | {_room(importer)}
    ]
    assert not broken


def _room(module):
    return module.split(".")[1]


def test_the_citation_is_of_this_version_and_names_no_person():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert [sorted(author) for author in cited["authors"]] == [["name"]], "the contributors are cited together"
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "The MIT licence:" in licence
    assert "CC BY 4.0" in licence or "Attribution 4.0" in licence
