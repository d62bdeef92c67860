"""Stills: a palette that fits, and a still that is older than its figure is found out."""

import json
from io import BytesIO

import pytest
from PIL import Image

from attend_book.site import live, source, stills

VIEW = source.View("memory-coin-1-coin", "coin", {"alt": "coins", "data": {"flips": [1]}}, ())


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """An empty shelf for stills, and a figure whose script is known."""
    monkeypatch.setattr(live, "STILLS", tmp_path)
    monkeypatch.setattr(live, "MANIFEST", tmp_path / "manifest.json")
    monkeypatch.setattr(live.linker, "bundle", lambda name: f"script of {name}")
    monkeypatch.setattr(live.linker, "style", lambda: "style")
    return tmp_path


def keep(shelf, view):
    """Put a still of the view on the shelf."""
    (shelf / f"{view.key}.webp").write_bytes(b"webp")
    (shelf / "manifest.json").write_text(json.dumps({view.key: {"digest": live.digest(view)}}))


def test_a_missing_still_is_named(shelf):
    assert "memory-coin-1-coin has no still" in live.stale(VIEW)


def test_a_fresh_still_is_trusted(shelf):
    keep(shelf, VIEW)
    assert live.stale(VIEW) == ""


def test_a_still_without_its_file_is_missing(shelf):
    keep(shelf, VIEW)
    (shelf / f"{VIEW.key}.webp").unlink()
    assert "has no still" in live.stale(VIEW)


@pytest.mark.parametrize("what", ["script", "kit", "state"])
def test_a_still_is_stale_when_the_figure_changed(shelf, monkeypatch, what):
    keep(shelf, VIEW)
    view = VIEW
    if what == "script":
        monkeypatch.setattr(live.linker, "bundle", lambda name: "another script")
    elif what == "kit":
        monkeypatch.setattr(live.linker, "style", lambda: "another style")
    else:
        view = source.View(VIEW.key, VIEW.name, VIEW.state | {"data": {"flips": [0]}}, ())
    assert "is older than the figure" in live.stale(view)


@pytest.mark.nightly
def test_a_still_keeps_size_and_transparency_and_fits():
    picture = Image.effect_noise((720, 400), 80).convert("RGBA")
    picture.putpixel((0, 0), (0, 0, 0, 0))
    for noisy in (picture, Image.new("RGBA", (720, 400), (0, 0, 0, 0))):
        out = BytesIO()
        noisy.save(out, "PNG")
        width, height, data = stills.squeezed(out.getvalue())
        assert (width, height) == (720, 400)
        assert Image.open(BytesIO(data)).convert("RGBA").getpixel((0, 0))[3] < 20
    assert len(data) < stills.LARGEST


def test_every_still_of_the_book_is_fresh():
    known = live.manifest()
    stale = [why for _, view in stills.views() if (why := live.stale(view, known))]
    assert not stale, stale
