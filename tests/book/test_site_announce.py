"""The picture for links is older than its card or not; what else the site announces, tests/site reads."""

import pytest
from PIL import Image

from attend_book.site import preview


def test_the_picture_for_links_shows_its_card():
    with Image.open(preview.PICTURE) as picture:
        assert picture.size == tuple(preview.SIZE.values())
    assert preview.fresh(), "the card changed: run `make stills`"


@pytest.mark.parametrize("source", ["CARD", "DRAWING"])
def test_a_picture_of_another_card_is_found_out(monkeypatch, tmp_path, source):
    changed = tmp_path / "changed"
    changed.write_bytes(getattr(preview, source).read_bytes() + b" ")
    monkeypatch.setattr(preview, source, changed)
    assert not preview.fresh()
