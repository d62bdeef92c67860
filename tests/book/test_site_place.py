"""What the build says of a fault in a notebook: the cell and the line that its author counts."""

import pytest

from attend_book.site import place


@pytest.mark.parametrize(
    ("location", "named"),
    [
        ("chapters/memory/coin.ipynb:30002", "chapters/memory/coin.ipynb, cell 3, line 2"),
        ("chapters/memory/coin.ipynb:", "chapters/memory/coin.ipynb:"),
        ("book/ledger.md:30002", "book/ledger.md:30002"),
        ("coin", "coin"),
    ],
)
def test_a_place_in_a_notebook_is_named_by_cell_and_line(location, named):
    assert place.named(location) == named
