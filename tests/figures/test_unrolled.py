import pytest

from attend.figures.unrolled import unrolled


def test_a_summary_for_each_step_and_arrows_only_where_something_goes(drawn):
    unrolled([("first", ["a", "b", "c"], ["", "", "yes"]), ("second", ["", "d"], ["e", "f"])])
    texts = [text.get_text() for text in drawn[0].axes[0].texts if text.get_text()]
    assert sorted(texts) == sorted(["first", "second", *["$h$"] * 5, *"abcdef", "yes"])
    arrows = [text for text in drawn[0].axes[0].texts if not text.get_text()]
    assert len(arrows) == 3 + 4 + 3  # through time, in, out


def test_bad_rows_are_refused():
    for rows in ([], [("a", ["x"], [])], [("a", [], [])]):
        with pytest.raises(ValueError, match="rows: got"):
            unrolled(rows)


def calls():
    return {
        unrolled: {"rows": [("a row", ["a"], ["b"])]},
    }
