"""A made-up page of claims in a folder of its own, and its records."""

import importlib
import sys
from types import SimpleNamespace

import pytest

from attend.evidence.kit.claims import claims_of

MADE_UP = '''
"""A page that nobody reads."""

import math
import os
from pathlib import Path

from attend.evidence import More, Reaches, measured_here, recorded
from attend.tasks import latch

SCALE = 2.0  # by hand
UNUSED = 1


def doubled(x):
    """Twice as much."""
    return SCALE * x


@recorded(
    "Twice is <i>more</i> & `better`.", source="elman1990", quote="more is <better>",
    rule=More("twice", "once", by=0.1), seeds=range(6), budget="none",
)
def twice(seed):
    base = math.sin(seed) + 2
    if seed == 3 and Path(r"{folder}/kill").exists():
        os.kill(os.getpid(), 9)
    if seed == 2 and Path(r"{folder}/kill-once").exists():
        Path(r"{folder}/kill-once").unlink()
        os.kill(os.getpid(), 9)
    if seed == 4 and Path(r"{folder}/fail").exists():
        raise RuntimeError("out of luck")
    with open(r"{folder}/ran", "a") as ran:
        ran.write(f"{{seed}} ")
    return {{"twice": doubled(base), "once": base}}


@measured_here("It is large.", source="ours", rule=Reaches("x", at_least=10.0), seeds=range(5))
def large(seed):
    return {{"x": seed + latch.CHANCE}}
'''


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """`claims()` imports the page anew; `change(old, new)` edits it; `ran()` says which seeds were run."""
    name = f"made_up_{abs(hash(str(tmp_path)))}"
    file = tmp_path / f"{name}.py"
    file.write_text(MADE_UP.format(folder=tmp_path), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def claims():
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return {one.name.partition(".")[2]: one for one in claims_of(name)}

    def change(old, new):
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        return claims()

    def ran():
        told = tmp_path / "ran"
        return [int(seed) for seed in told.read_text().split()] if told.exists() else []

    yield SimpleNamespace(claims=claims, change=change, ran=ran, folder=tmp_path, records=tmp_path / "records")
    sys.modules.pop(name, None)
