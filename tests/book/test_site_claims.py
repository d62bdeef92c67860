"""The ledger's text: every claim once, in reading order, with source, verdict and what was measured."""

import re

import pytest

from attend_book.site import claims


def record(name, verdict="holds", only_if="", source="elman1990", says="It works."):
    told = {
        "id": name,
        "says": says,
        "source": source,
        "verdict": verdict,
        "heading": f"{verdict} {only_if}".strip(),
        "measured": "0.3 nat",
        "quote": "",
        "kind": "measured here",
    }
    return told | {"fold": "How", "told": ["Measured here."], "how": "def measured(seed): ..."}


PAGES = [
    ("Coin", "chapters/memory/coin", [record("coin.a"), record("coin.b", "holds only if", "n is known")]),
    ("Empty", "chapters/memory/empty", []),
    ("Gates", "chapters/gating/gru", [record("gru.z", "slip in the source", source="ours")]),
]


def tables(pages):
    """Both tables of the ledger as MyST text."""
    return [line for found in claims.entries(pages).values() for line in claims.table(found)]


def test_the_summary_counts_what_came_out():
    (line,) = claims.summary(PAGES)
    assert re.findall(r"\d+", line) == ["3", "1", "1", "1"]


def test_the_ledger_leads_with_what_did_not_hold_and_lists_everything_once():
    found = claims.entries(PAGES)
    assert {name: [entry["id"] for entry in some] for name, some in found.items()} == {
        "others": ["gru.z", "coin.b"],
        "holds": ["coin.a"],
    }
    assert sum(line.startswith("* -") for line in tables(PAGES)) == 3 + 2  # claims and header rows


def test_readers_choose_among_what_there_is():
    found = claims.choices(PAGES, {"memory": "Memory", "gating": "Gates"}, {"elman1990": "Elman 1990"})
    assert found == {
        "Verdict": {
            "verdict-slip-in-the-source": "slip in the source",
            "verdict-holds-only-if": "holds only if",
            "verdict-holds": "holds",
        },
        "Part": {"part-memory": "Memory", "part-gating": "Gates"},
        "Source": {"source-elman1990": "Elman 1990", "source-ours": "this course"},
    }
    marks = {mark for some in claims.entries(PAGES).values() for entry in some for mark in claims.marks(entry)}
    assert marks == {mark for options in found.values() for mark in options}


def test_a_quotation_is_printed_to_the_letter():
    quoted = record("coin.q", "does not hold here") | {"quote": "a * b <i> [c] `d` $e$"}
    (row,) = [line for line in tables([("P", "chapters/memory/p", [quoted])]) if "quoted" in line]
    assert r"a \* b \<i\> \[c\] \`d\` \$e\$" in row


def test_a_row_links_the_claim_cites_the_source_and_marks_the_verdict():
    text = "\n".join(tables(PAGES))
    assert "[It works.](#claim-coin.b)" in text
    assert "{cite:t}`elman1990`" in text
    assert "[holds only if n is known]{.verdict .holds-only-if}" in text
    assert "this course" in text
    assert "0.3 nat" in text


@pytest.mark.parametrize("says", ["An interval [0, 1] is closed.", "Two\nlines."])
def test_brackets_and_line_breaks_do_not_break_the_table(says):
    rows = [row for row in tables([("P", "p", [record("p.x", says=says)])]) if "claim-p.x" in row]
    assert len(rows) == 1
    assert "\n" not in rows[0]
    assert rows[0].count("](#claim-p.x)") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("off by 2e-16 at most", "off by 2\u00a0×\u00a010{sup}`−16` at most"),
        ("1.5e+06 steps", "1.5\u00a0×\u00a010{sup}`6` steps"),
        ("`1e-3` and $1e3$, `5%`", "`1e-3` and $1e3$, `5%`"),
        ("34% of all, 16 % of some", "34\u202f% of all, 16\u202f% of some"),
        ("0.3 nat, seed 1e, v2e3", "0.3 nat, seed 1e, v2e3"),
        ("behind by -0.002, -3% to -1.5e-07", "behind by −0.002, −3\u202f% to −1.5\u00a0×\u00a010{sup}`−7`"),
        ("steps 3-4, part-2, $x-1$", "steps 3-4, part-2, $x-1$"),
    ],
)
def test_numbers_are_printed_as_in_a_book(text, shown):
    assert claims.printed(text) == shown
