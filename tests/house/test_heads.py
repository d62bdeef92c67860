"""A system file opens with what it is and with three fixed words: Source, Departs, Agrees."""

import ast
import re

import pytest
from tests.house.course import nothing, systems

from attend_book import ROOT

WORDS = ("Source", "Departs", "Agrees")


def missing(text):
    """What the opening of a system file lacks."""
    said = ast.get_docstring(ast.parse(text)) or ""
    first, *rest = said.splitlines() or [""]
    if not re.fullmatch(r"[A-Z].*\.", first):
        yield "a first line that says in one sentence what the system is"
    begins = [re.match(r"(\w+)  +\S", line) for line in rest]
    found = [match[1] for match in begins if match and match[1] in WORDS]
    if found != list(WORDS):
        yield f"the lines {', '.join(WORDS)} (two spaces, then text), got {', '.join(found) or 'none'}"


@pytest.mark.parametrize("path", systems(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_opening(path):
    nothing(missing(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", systems(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_test_that_it_names_is_there(path):
    named = re.findall(r"tests/[\w/]+\.py", ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
    nothing([name for name in named if not (ROOT / name).is_file()])


def test_a_bad_opening_is_named():
    good = '"""A unit.\n\nSource   Elman 1990.\nDeparts  one bias.\nAgrees   torch.nn.RNN.\n"""'
    assert list(missing(good)) == []
    assert len(list(missing("x = 1"))) == 2
    assert len(list(missing(good.replace("Departs", "Differs")))) == 1
    assert len(list(missing(good.replace("A unit.", "a unit")))) == 1
