"""What a declaration must say, and where claims are found."""

import pytest

from attend import evidence
from attend.evidence import Exact, Reaches, measured_here, recorded, show
from attend.evidence.kit import claims

GOOD = {"source": "ours", "rule": Reaches("x", at_least=0.5), "seeds": range(5)}


def stated(declare=measured_here, says="It is so.", value=1.0, **changes):
    @declare(says, **GOOD | changes)
    def stated(seed):
        return {"x": value}

    return stated


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"says": " "}, "says: got ' '"),
        ({"source": ""}, "source: got ''"),
        ({"rule": 0.5}, "rule: got 0.5"),
        ({"seeds": range(4)}, "seeds: got 4, expected at least 5"),
        ({"tuned_on": (1,)}, r"seeds: got \[1\], by which its settings were chosen"),
        ({"declare": recorded}, "budget: got ''"),
    ],
)
def test_a_declaration_that_lacks_something_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        stated(**changes)


def test_what_does_not_hold_needs_the_words_of_the_source():
    with pytest.raises(ValueError, match="quote: got none, expected elman1990 to the letter"):
        stated(source="elman1990", value=0.0).judge([{"x": 0.0}] * 5)
    quoted = stated(source="elman1990", value=0.0, quote="It is so.")
    assert quoted.judge([{"x": 0.0}] * 5).verdict == "does not hold here"
    assert stated(source="elman1990").judge([{"x": 1.0}] * 5).verdict == "holds"


def test_an_identity_may_have_one_seed():
    assert stated(rule=Exact("x"), seeds=[0], value=0.0).seeds == (0,)


@pytest.mark.parametrize("values", [None, {}, 3.0])
def test_a_measurement_gives_numbers_by_name(values):
    @measured_here("It is so.", **GOOD)
    def empty(seed):
        return values

    with pytest.raises(ValueError, match="expected numbers by name"):
        empty(0)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"expected a page with evidence first: .*lstm"):
        show("nowhere.lag")
    with pytest.raises(ValueError, match=r"got 'lstm\.nothing', expected one of lstm\."):
        show("lstm.nothing")


def test_every_page_of_evidence_is_found_and_its_claims_bear_its_name():
    for page in claims.pages():
        found = claims.claims_of(f"{claims.PAGES}.{page}")
        assert found
        assert {one.name.partition(".")[0] for one in found} == {page}


def test_no_page_takes_the_place_of_what_the_package_offers():
    assert not set(claims.pages()) & set(evidence.__all__), "a page's module becomes an attribute of attend.evidence"
