"""Inline claims can fail, and say so."""

import pytest

from attend.evidence.kit.box import Box
from attend.evidence.kit.inline import ClaimError, claim

GOOD = {"name": "coin.order", "says": "Order does not matter.", "source": "ours", "came_out": True, "measured": "0 < 1"}


def state(**changes):
    given = GOOD | changes
    return claim(given.pop("name"), given.pop("says"), **given)


@pytest.fixture
def shown(monkeypatch):
    collected = []
    monkeypatch.setattr("attend.evidence.kit.inline.display", collected.append)
    return collected


def test_a_name_may_hold_digits(shown):
    state(name="seq2seq.parts2")
    assert shown[0].record["id"] == "seq2seq.parts2"


def test_the_verdict_is_text_and_the_number_is_set_apart(shown):
    state()
    bundle, metadata = shown[0]._repr_mimebundle_()
    assert bundle["text/plain"] == "coin.order: holds"
    assert '<span class="measured">0 &lt; 1</span>' in bundle["text/html"]
    assert metadata["attend"]["claim"]["measured"] == "0 < 1"
    assert isinstance(shown[0], Box)


def test_a_claim_that_does_not_come_out_stops_the_page(shown):
    with pytest.raises(ClaimError, match=r"coin\.order did not come out: .*measured: 0 < 1"):
        state(came_out=False)
    assert not shown


def test_a_condition_is_part_of_the_verdict(shown):
    state(verdict="holds only if", only_if="n is known")
    assert repr(shown[0]) == "coin.order: holds only if n is known"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "Coin order"}, "name: got 'Coin order'"),
        ({"name": "2.order"}, "name: got '2.order'"),
        ({"says": " "}, "says: got"),
        ({"source": ""}, "source: got"),
        ({"measured": None}, "measured: got None"),
        ({"verdict": "maybe"}, "verdict: got 'maybe', expected one of holds"),
        ({"verdict": "holds only if"}, "only_if: got ''"),
        ({"only_if": "n"}, "only_if: got 'n'"),
        ({"came_out": 0.9}, r"came_out: got 0\.9 \(float\)"),
    ],
)
def test_a_malformed_claim_is_refused(change, message, shown):
    with pytest.raises(ValueError, match=message):
        state(**change)
    assert not shown
