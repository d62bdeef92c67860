"""Records are refused when anything that made them has changed, and are written whole."""

import json

import pytest
from tests.evidence.kit.test_measure import run

from attend.evidence.kit import records
from attend.evidence.kit.claims import claims_of
from attend.evidence.kit.records import StaleRecord


def test_a_fresh_record_gives_back_what_was_measured(made_up):
    run(made_up, "twice")
    claim = made_up.claims()["twice"]
    record = records.read(claim, made_up.records)
    assert record["verdict"] == "holds"
    assert records.rows(record)[0] == {"twice": 4.0, "once": 2.0}
    assert record["seeds"] == list(range(6))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("return SCALE * x", "return SCALE * x + 0", "twice and what it calls"),
        ("SCALE = 2.0", "SCALE = 2.5", "twice and what it calls"),
        ("math.sin(seed) + 2", "math.cos(seed) + 2", "twice and what it calls"),
        ("by=0.1", "by=0.15", "rule was"),
        ("Twice is", "Thrice is", "says was"),
        ("more is <better>", "more is <best>", "quote was"),
        ("seeds=range(6)", "seeds=range(7)", "seeds was"),
    ],
)
def test_a_change_makes_it_stale_and_is_named_with_the_command(made_up, old, new, named):
    run(made_up, "twice")
    claim = made_up.change(old, new)["twice"]
    with pytest.raises(StaleRecord, match=rf"{named}.*python -m attend\.evidence made_up_\d+ twice"):
        records.read(claim, made_up.records)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UNUSED = 1", "UNUSED = 2"),
        ('"""Twice as much."""', '"""Two times as much."""'),
        ("# by hand", "# by the machine"),
        ("at_least=10.0", "at_least=11.0"),
    ],
)
def test_what_changes_no_number_of_this_claim_leaves_it_fresh(made_up, old, new):
    run(made_up, "twice")
    records.read(made_up.change(old, new)["twice"], made_up.records)


def test_a_changed_module_is_named(made_up, monkeypatch):
    made_up.change("doubled(base)", "doubled(base) + 0 * latch.CHANCE")
    run(made_up, "twice")
    claim = made_up.claims()["twice"]
    (file,) = made_up.records.glob("*.json")
    text = file.read_text()
    at = text.index("attend/tasks/latch.py") + len('attend/tasks/latch.py": "')
    file.write_text(f"{text[:at]}{'0' * 12}{text[at + 12 :]}")
    with pytest.raises(StaleRecord, match=r"attend/tasks/latch\.py changed"):
        records.read(claim, made_up.records)


def test_a_verdict_written_by_hand_is_refused(made_up):
    run(made_up, "twice")
    (file,) = made_up.records.glob("*.json")
    file.write_text(file.read_text().replace('"verdict": "holds"', '"verdict": "does not hold here"'))
    with pytest.raises(StaleRecord, match="the verdict is 'holds'"):
        records.read(made_up.claims()["twice"], made_up.records)


def test_without_a_record_the_command_is_told(made_up):
    with pytest.raises(StaleRecord, match=r"there is none.*python -m attend\.evidence"):
        records.read(made_up.claims()["twice"], made_up.records)


def test_the_same_measurement_writes_the_same_bytes(made_up):
    run(made_up, "twice")
    (file,) = made_up.records.glob("*.json")
    before = file.read_bytes()
    claim = made_up.claims()["twice"]
    records.write(claim, records.read(claim, made_up.records), made_up.records)
    assert file.read_bytes() == before


@pytest.mark.parametrize("file", sorted(records.RECORDS.glob("*.json")), ids=lambda file: file.stem)
def test_every_record_is_of_a_claim_and_of_what_stands_there_now(file):
    claims = [claim for claim in claims_of(f"attend.evidence.{file.stem}") if claim.kind == "recorded"]
    assert json.loads(file.read_text(encoding="utf-8")).keys() == {claim.name for claim in claims}
    for claim in claims:
        records.read(claim)
