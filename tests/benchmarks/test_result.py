"""The results that stand: whole, sound, and those that the book's pictures show."""

import json
import math

import pytest
from benchmarks.__main__ import SUITES, THREADS, digest, main, picture_of, result_of
from PIL import Image


@pytest.fixture(params=SUITES)
def suite(request):
    return request.param


@pytest.fixture
def result(suite):
    return json.loads(result_of(suite).read_text())


def test_it_holds_every_case_on_every_number_of_threads(suite, result):
    rows = result["rows"]
    keys = ("unit", "does", "B", "T", "H", "fused", "threads")
    there = {tuple(row[key] for key in keys) for row in rows}
    assert there == {(*case.row().values(), threads) for case in SUITES[suite].cases() for threads in THREADS}
    assert len(there) == len(rows)


def test_ratios_are_those_of_the_times_and_lie_within_their_quartiles(result):
    for row in result["rows"]:
        assert 0 < row["ratio_low"] <= row["ratio"] <= row["ratio_high"] < math.inf
        # medians of times and of ratios need not fall in the same round
        assert 0.5 < row["ratio"] / (row["ours_ms"] / row["theirs_ms"]) < 2


def test_the_machine_is_named(result):
    assert result["machine"]["processor"]
    assert result["machine"]["cores"] >= 1
    assert result["machine"]["torch"]


def test_the_picture_shows_this_result(suite):
    with Image.open(picture_of(suite)) as picture:
        assert picture.info["digest"] == digest(result_of(suite)), "draw it again: python -m benchmarks --picture"


def test_an_unknown_suite_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["speeds"])
    assert f"SUITE: got 'speeds', expected one of {', '.join(SUITES)}" in capsys.readouterr().err
