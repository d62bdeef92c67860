"""The site built once more, elsewhere and under other circumstances, is the same site, byte for byte."""

import filecmp
import os
import shutil
import subprocess
import sys

import pytest
from tests.site import built

NOT_THE_BOOK = shutil.ignore_patterns(".*", "_build", "tests", "node_modules", "__pycache__", "shared")


@pytest.mark.nightly
def test_a_second_build_writes_the_same_bytes(tmp_path, record_property):
    tree = tmp_path / "another place"
    shutil.copytree(built.ROOT, tree, ignore=NOT_THE_BOOK, symlinks=True)
    other = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "attend_book", "site", "--path-output", str(tmp_path / "out")],
        cwd=tree, env={**os.environ, **other}, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    first, second = (
        {file.relative_to(root).as_posix(): file for file in root.rglob("*") if file.is_file()}
        for root in (built.SITE, tmp_path / "out" / "_build" / "html")
    )
    assert first.keys() == second.keys()
    different = [name for name in first if not filecmp.cmp(first[name], second[name], shallow=False)]
    assert not different, different[:10]
    record_property("measured", f"built twice: {len(first)} files, the same bytes")


def test_no_file_of_the_site_names_the_place_where_it_was_built():
    place = str(built.ROOT).encode()
    named = [file.name for file in built.SITE.rglob("*") if file.is_file() and place in file.read_bytes()]
    assert not named, named
