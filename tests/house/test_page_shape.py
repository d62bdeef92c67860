"""Every committed page is whole: `attend_book.shape` says what a page has."""

import pytest
from tests.house.course import PAGES, nothing, page_name, read

from attend_book import shape


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_shape(path):
    nothing(shape.missing(read(path), path))
