"""What the build says of a fault on a page with code: the line of the text that its author writes."""

import pytest

from attend_book.site import place


@pytest.mark.parametrize(
    ("location", "named"),
    [
        ("chapters/memory/coin.ipynb:32", "chapters/memory/coin.md:32"),
        ("chapters/memory/coin.ipynb:", "chapters/memory/coin.ipynb:"),
        ("book/ledger.md:30002", "book/ledger.md:30002"),
        ("coin", "coin"),
    ],
)
def test_a_place_in_a_notebook_is_named_by_the_line_of_its_text(location, named):
    assert place.named(location) == named
