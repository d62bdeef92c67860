"""What a claim's numbers follow from: its own part of its file, and the modules that this imports, however deep."""

from pathlib import Path

import pytest

from attend.evidence.kit.made_by import how, made_by


def test_modules_are_followed_through_other_modules(made_up):
    made_up.change("doubled(base)", "doubled(base) + 0 * latch.CHANCE")
    found = made_by(made_up.claims()["twice"].module, "twice")
    assert "attend/tasks/latch.py" in found
    assert "attend/core/expect.py" not in found  # it refuses arguments, and makes no number
    assert not any("evidence/kit" in file or file == "attend/evidence/__init__.py" for file in found)


def test_only_what_the_function_uses_is_followed(made_up):
    module = made_up.claims()["twice"].module
    assert "attend/tasks/latch.py" not in made_by(module, "twice")
    assert "attend/tasks/latch.py" in made_by(module, "large")


def test_an_import_inside_a_function_counts(made_up):
    made_up.change("base = math", "from attend.memory.coin import Coin\n    base = math")
    assert "attend/memory/coin.py" in made_by(made_up.claims()["twice"].module, "twice")


def test_readers_see_the_declaration_the_function_and_what_it_calls(made_up):
    text = how(made_up.claims()["twice"].module, "twice")
    assert (
        text.index("SCALE = 2.0")
        < text.index("def doubled")
        < text.index('rule=More("twice"')
        < text.index("def twice")
    )
    assert "UNUSED" not in text
    assert "def large" not in text


def test_the_data_of_a_module_count(made_up, monkeypatch):
    made_up.change("from attend.tasks import latch", "from attend.tasks import latch\nfrom attend.tasks import digits")
    module = made_up.change("doubled(base)", "doubled(base) + 0 * len(digits.__name__)")["twice"].module
    before = made_by(module, "twice")
    (pattern,) = [name for name in before if name.endswith("digits.npz")]
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"other digits")
    assert made_by(module, "twice")[pattern] != before[pattern]


def test_of_the_faster_twins_those_count_whose_system_is_reached(made_up):
    made_up.change("base = math", "from attend.recipes.gru import LatchRecipe\n    base = math")
    found = made_by(made_up.claims()["twice"].module, "twice")
    assert {"attend/gating/gru.py", "attend/fast/recurrent.py"} <= found.keys()
    assert not {"attend/fast/ram.py", "attend/fast/attention.py", "attend/hard/ram.py"} & found.keys()


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("def doubled(x):", "def doubled(x: float) -> float:", False),
        ("def doubled(x):", "@checked\ndef doubled(x):", False),
        ("def doubled(x):", "@cache\ndef doubled(x):", True),
        ("    return SCALE * x", '    expect(x > 0, "x", x, "a positive number")\n    return SCALE * x', False),
        ("    return SCALE * x", "    return (\n        SCALE  # twice\n        * x\n    )", False),
        ("    return SCALE * x", "    x = 1.0 * x\n    return SCALE * x", True),
        ("    return SCALE * x", "    return SCALE * (x,)[0]", True),
    ],
)
def test_types_refusals_and_layout_compute_nothing(made_up, old, new, counts):
    names = "from functools import cache\nfrom attend.core.expect import checked, expect\n"
    module = made_up.change("from attend.tasks import latch\n", f"{names}from attend.tasks import latch\n")[
        "twice"
    ].module
    before = next(iter(made_by(module, "twice").values()))
    made_up.change(old, new)
    assert (next(iter(made_by(module, "twice").values())) != before) == counts


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("from math import sin as base_of, exp", True),
        ("from math import exp\nfrom math import cos as base_of", False),
        ("from math import cos as base_of, tan as exp", False),
        ("from attend.tasks.latch import CHANCE as base_of\nfrom math import exp", True),
    ],
)
def test_where_a_used_name_comes_from_counts(made_up, changed, counts):
    imports = "from math import cos as base_of, exp"
    made_up.change("from attend.tasks import latch", f"{imports}\nfrom attend.tasks import latch")
    module = made_up.change("doubled(base)", "doubled(base_of(base))")["twice"].module
    before = next(iter(made_by(module, "twice").values()))
    made_up.change(imports, changed)
    assert (next(iter(made_by(module, "twice").values())) != before) == counts


@pytest.mark.parametrize(
    ("added", "counts"),
    [
        ("", False),
        ('\n"""What it is for."""\n', False),
        ("\n# a comment\n", False),
        ("\ndef unused():\n    return 1\n", False),
        ("\nCHANCE = 0.3\n", True),
        ("\nCHANCE += 0.1\n", True),
        ("\ntorch.set_num_threads(2)\n", True),
    ],
)
def test_what_is_only_said_or_never_used_changes_nothing(made_up, monkeypatch, added, counts):
    made_up.change("doubled(base)", "doubled(base) + 0 * latch.CHANCE")
    module, read = made_up.claims()["twice"].module, Path.read_text
    before = made_by(module, "twice")["attend/tasks/latch.py"]
    monkeypatch.setattr(Path, "read_text", lambda path, **how: read(path, **how) + added * (path.name == "latch.py"))
    assert (made_by(module, "twice")["attend/tasks/latch.py"] != before) == counts
