"""The result that stands: whole, sound, and the one that the book's picture shows."""

import json
import math

from benchmarks.__main__ import PICTURE, RESULT, THREADS, digest
from benchmarks.recurrent import cases
from PIL import Image


def test_it_holds_every_case_on_every_number_of_threads():
    rows = json.loads(RESULT.read_text())["rows"]
    keys = ("unit", "does", "B", "T", "H", "fused", "threads")
    there = {tuple(row[key] for key in keys) for row in rows}
    assert there == {(*case.row().values(), threads) for case in cases() for threads in THREADS}
    assert len(there) == len(rows)


def test_ratios_are_those_of_the_times_and_lie_within_their_quartiles():
    for row in json.loads(RESULT.read_text())["rows"]:
        assert 0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"] < math.inf
        # medians of times and of ratios need not fall in the same round
        assert 0.5 < row["ratio"] / (row["ours_ms"] / row["theirs_ms"]) < 2


def test_the_machine_is_named():
    machine = json.loads(RESULT.read_text())["machine"]
    assert machine["processor"]
    assert machine["cores"] >= 1
    assert machine["torch"]


def test_the_picture_shows_this_result():
    with Image.open(PICTURE) as picture:
        assert picture.info["digest"] == digest(), "draw it again: python -m benchmarks --picture"
