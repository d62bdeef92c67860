"""What page directions measures is what its sentences are about."""

from attend.evidence import directions
from attend.tasks import places


def test_a_gap_is_what_is_missing_to_the_best_possible(monkeypatch):
    monkeypatch.setattr(directions, "trained", lambda kind, seed: {"place": 0.7, "column": 0.3})
    monkeypatch.setattr(places, "ceiling", lambda question, side, wait=0: 0.75 + 0.01 * wait)
    found = directions.ceiling(10)
    assert round(found["place from the left, short of the best by"], 6) == 0.05
    assert round(found["column from the right, short of the best by"], 6) == 0.45
    assert found["best place, left, waiting 5"] == 0.8
    assert {f"{question}, {side}" for question in places.QUESTIONS for side in ("left", "right")} <= set(found)
