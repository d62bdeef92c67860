"""What the code of an earlier commit measures, on this machine: other processors give training other digits."""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[4]
PROGRAM = """
import importlib, json, sys
from attend.evidence.kit.made_by import made_by
module, name, seed = sys.argv[1:]
values = getattr(importlib.import_module(module), name)(int(seed))
print(json.dumps([made_by(module, name), values]))
"""


class Run(NamedTuple):
    """What made a claim's numbers, as its record would say it, and the numbers of one seed."""

    commit: str
    made_by: dict[str, str]
    values: dict[str, float]


def runs(
    commit: str, units: Iterable[tuple[str, str, int]], jobs: int = 1, say: Callable[[str], None] = print
) -> dict[tuple[str, str, int], Run]:
    """Each unit (module, name, seed) measured by the package as it was at `commit`.

    Raises ValueError for a commit that this repository does not have, and RuntimeError where its code fails.
    """
    pack = ["git", "archive", "--format=zip", commit, "src"]
    packed = subprocess.run(pack, cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        raise ValueError(f"commit: got {commit!r}, expected one of this repository: {packed.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as several:
        with zipfile.ZipFile(BytesIO(packed.stdout)) as files:
            files.extractall(folder)
        about = os.environ | {"PYTHONPATH": f"{folder}/src", "OMP_NUM_THREADS": "1"}

        def one(unit: tuple[str, str, int]) -> Run:
            command = [sys.executable, "-c", PROGRAM, *map(str, unit)]
            done = subprocess.run(command, env=about, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{unit[0]}.{unit[1]} at {commit}: {done.stderr.strip()[-500:]}")
            say(f"{unit[0]}.{unit[1]}, seed {unit[2]}: measured by the code of {commit}")
            return Run(commit, *json.loads(done.stdout.splitlines()[-1]))

        units = list(units)
        return dict(zip(units, several.map(one, units), strict=True))
