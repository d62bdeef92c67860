"""A kernel that was forked is as one that was started anew."""

import json
import os
import subprocess
import sys

import pytest
from jupyter_client.manager import run_kernel

ASKED = """
import importlib.util, json, os, sys
modules = sorted(name for name in sys.modules if name.split(".")[0] in ("attend", "attend_book", "pytest"))
found = [getattr(importlib.util.find_spec(name), "origin", None) for name in ("attend", "numpy", "tests")]
import matplotlib, torch
known = [__name__, len(sys.argv), os.getcwd(), os.environ["ASKED"], matplotlib.get_backend(), torch.get_num_threads()]
print(json.dumps([modules, found, known]))
"""
CHANCE = "import numpy, random, torch; print(random.random(), numpy.random.rand(), torch.rand(()).item())"


def says(kernel, code):
    """What a cell prints."""
    text = []
    kernel.execute_interactive(code, timeout=120, output_hook=lambda out: text.append(out["content"].get("text", "")))
    return "".join(text)


FRESH = f"""
import sys
sys.path.insert(0, {os.getcwd()!r})
from tests.house.test_kernels import ASKED, run_kernel, says
with run_kernel(cwd=sys.argv[1]) as kernel:
    print(says(kernel, ASKED))
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none is forked")
def test_it_sees_what_a_fresh_one_sees(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", "for")
    asked = [sys.executable, "-c", FRESH, str(tmp_path)]
    fresh = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    with run_kernel(cwd=str(tmp_path)) as kernel:
        assert json.loads(says(kernel, ASKED)) == json.loads(fresh)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none is forked")
def test_what_is_not_seeded_differs_from_kernel_to_kernel():
    said = []
    for _ in range(2):
        with run_kernel() as kernel:
            said += says(kernel, CHANCE).split()
    assert len(said) == 6 == len(set(said))
