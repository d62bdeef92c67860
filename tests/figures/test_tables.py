"""A table of measured numbers: named rows and columns, and nothing that a page would be compared by."""

import re

import pytest

from attend.figures import tables
from attend.figures.tables import table

COLUMNS = ("question", "soft", "hard")


@pytest.fixture
def shown(displayed):
    """The HTML that was displayed."""
    return displayed(tables)


def test_columns_and_rows_have_their_names(shown):
    table(COLUMNS, [("values read", "32", "1"), ("noise", "0", "307")])
    assert re.findall(r'<th scope="col">(.*?)</th>', shown[0]) == list(COLUMNS)
    assert re.findall(r'<th scope="row"[^>]*>(.*?)</th>', shown[0]) == ["values read", "noise"]
    assert re.findall(r"<td>.*?>(.*?)</span></td>", shown[0]) == ["32", "1", "0", "307"]


def test_all_but_the_names_is_left_out_of_a_comparison(shown):
    """The rule of tests/nbval.cfg: what is measured may differ from run to run."""
    for number in ("307", "291"):
        table(COLUMNS, [("noise", "0", number)])
    first, second = (re.sub(r'(?s)<span class="measured">.*?</span>', "", text) for text in shown)
    assert first == second


def test_texts_are_shown_as_they_are(shown):
    table(COLUMNS, [("p < q", "<b>", "&")])
    assert "p &lt; q" in shown[0]
    assert "&lt;b&gt;" in shown[0]
    assert "&amp;" in shown[0]


@pytest.mark.parametrize(
    ("columns", "rows", "message"),
    [
        ((), [("a",)], "columns: got"),
        (("only",), [("a",)], "columns: got"),
        (("", "soft"), [("a", "b")], "columns: got"),
        (COLUMNS, [], "rows: got"),
        (COLUMNS, [("a", "b")], "rows: got"),
        (COLUMNS, [("", "b", "c")], "rows: got"),
    ],
)
def test_what_is_no_table_is_refused(columns, rows, message):
    with pytest.raises(ValueError, match=message):
        table(columns, rows)


def calls():
    return {
        table: {"columns": ["question", "soft", "hard"], "rows": [["values read", "32", "1"]]},
    }
