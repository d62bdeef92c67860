"""A small table of what was measured: a row for each question, a column for each that was asked."""

import html
from collections.abc import Sequence

from IPython.display import HTML, display

from attend.core.expect import checked, expect


@checked
def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show `rows` of texts under the names of `columns`; the first text of a row is its name.

    All others count as measured: like the numbers of a claim they may differ from run to run. Raises ValueError when
    there is no column or row, and for a row that is not as long as `columns` or has a name that is empty.
    """
    expect(len(columns) > 1 and all(columns), "columns", columns, "two names at least, none empty")
    expect(len(rows) > 0, "rows", rows, "at least one row")
    for row in rows:
        expect(len(row) == len(columns) and bool(row[0]), "rows", row, f"{len(columns)} texts, the first a name")
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    display(HTML(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_line, rows))}</tbody></table>"))


def _line(row: Sequence[str]) -> str:
    cells = "".join(f'<td><span class="measured">{html.escape(text)}</span></td>' for text in row[1:])
    return f'<tr><th scope="row" style="font-weight:400">{html.escape(row[0])}</th>{cells}</tr>'
