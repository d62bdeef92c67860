"""The box: what readers of a notebook and of a terminal get, with everything escaped."""

import pytest
from lxml import html
from tests.evidence.kit.test_measure import run

from attend.evidence.kit import box, records
from attend.evidence.kit.records import StaleRecord


@pytest.fixture
def shown(made_up, monkeypatch):
    """The box of a claim of the made-up page, its records read from where that page has them."""
    monkeypatch.setattr(records.read, "__defaults__", (made_up.records,))

    def shown(name, claims=None):
        return box.measured((claims or made_up.claims())[name])

    return shown


def test_what_is_recorded_comes_with_its_command_and_is_not_run(made_up, shown):
    run(made_up, "twice")
    data, metadata = shown("twice")._repr_mimebundle_()
    assert len(made_up.ran()) == 6
    record = metadata["attend"]["claim"]
    assert record["kind"] == "recorded"
    assert record["told"][-1].startswith("Recorded by `python -m attend.evidence made_up_")
    assert record["verdict"] == "holds"
    assert "`, 0 s of processor time." in data["text/plain"]
    assert "twice: 4" in data["text/plain"]


def test_without_a_fresh_record_nothing_is_shown(made_up, shown):
    run(made_up, "twice")
    with pytest.raises(StaleRecord):
        shown("twice", made_up.change("SCALE = 2.0", "SCALE = 3.0"))


def test_what_is_measured_here_is_run(shown):
    found = shown("large")
    assert found.record["kind"] == "measured here"
    assert found.record["verdict"] == "does not hold here"
    assert "✗ x: 2.25 (0.29 to 4.21) · needed: at least 10 (missed)" in found.record["measured"]
    assert "x: 2" not in repr(found), "a number that differs from machine to machine is not compared"


def test_text_of_others_is_escaped_and_the_source_is_folded(made_up, shown):
    run(made_up, "twice", claims=made_up.change("by=0.1", "by=100"))
    found = shown("twice")
    assert found.record["quote"] == "more is <better>"
    data, _ = found._repr_mimebundle_()
    card = html.fromstring(data["text/html"])
    assert card.find_class("says")[0].text_content() == "Twice is <i>more</i> & better."
    assert not card.findall(".//i")
    (fold,) = card.findall("details")
    assert "more is <better>" in fold.find("blockquote").text_content()
    assert fold.get("open") is None
    assert 'quote="more is <better>"' in fold.find("pre").text_content()
    assert "def twice(seed)" in fold.find("pre").text_content()


def test_a_quotation_stands_only_where_it_is_needed(made_up, shown):
    run(made_up, "twice")
    found = shown("twice")
    assert found.record["quote"] == ""
    assert "blockquote" not in found._repr_mimebundle_()[0]["text/html"]


def test_what_the_runs_could_have_shown_stands_in_the_fold(made_up, shown):
    run(made_up, "twice", claims=made_up.change("by=0.1", "by=2.0"))
    card = html.fromstring(shown("twice")._repr_mimebundle_()[0]["text/html"])
    (power,) = [text for line in card.findall("details/p") if "6 runs easily miss" in (text := line.text_content())]
    assert power.startswith("twice beside once: ")
    assert power not in card.find_class("measured")[0].text_content()


def test_the_card_says_what_the_numbers_are_and_what_each_side_was_given(made_up, shown):
    run(made_up, "twice")
    found = shown("twice")
    assert found.record["measured"].splitlines()[0].endswith("6 seeds; 95 % intervals in brackets:")
    card = html.fromstring(found._repr_mimebundle_()[0]["text/html"])
    folded = [line.text_content() for line in card.findall("details/p")]
    assert folded[:2] == [box.LEGEND, f"Budget: {made_up.claims()['twice'].budget}."]
    assert "Budget" not in card.find_class("measured")[0].text_content()
