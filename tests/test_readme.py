"""The README is true: its examples run, and its picture, path and claims are what the pages say today."""

import doctest
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attend_book import cover, readme

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
COINS = [1, 1, 0, 1, 0]
MOST_BYTES = 100_000


def test_the_examples_of_the_readme_run():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted == 9
    assert result.failed == 0


def test_picture_path_and_claims_are_fresh():
    old = [str(path.relative_to(ROOT)) for path in readme.stale(ROOT)]
    assert not old, f"older than the pages: {', '.join(old)}; run make readme"


def test_the_path_names_every_page_in_the_order_of_the_course():
    linked = re.findall(r"^\| \[\w+\]\((chapters/\S+)\.ipynb\) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert linked == re.findall(r"file: (chapters/\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))


def test_a_region_is_written_anew_and_the_rest_is_kept():
    text = "before\n<!-- claims coin.order -->\nof last year\n<!-- end -->\nafter\n<!-- path -->\n<!-- end -->\n"
    filled = readme.filled(text, ROOT)
    assert "last year" not in filled
    assert filled.startswith("before\n<!-- claims coin.order -->\n")
    assert "\n<!-- end -->\nafter\n" in filled


def test_a_claim_that_no_page_makes_is_refused():
    with pytest.raises(ValueError, match=r"no page makes the claim coin\.nothing"):
        readme.filled("<!-- claims coin.nothing -->\n<!-- end -->", ROOT)


def test_an_old_readme_is_found_out(monkeypatch, capsys):
    monkeypatch.setattr(readme, "stale", lambda root: {README: "new"})
    before = README.read_bytes()
    assert readme.main(["--check"]) == 1
    assert "README.md: is old; run make readme" in capsys.readouterr().out
    assert README.read_bytes() == before


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_picture_is_one_small_file_that_asks_for_nothing(mode):
    moving, still = cover.svg(COINS, mode), cover.svg(COINS, mode, moves=False)
    for text in (moving, still):
        ElementTree.fromstring(text)
        assert len(text.encode()) < MOST_BYTES
        assert not re.search(r"href|url\(|@import|<script", text)
    assert "@keyframes" in moving
    assert "@keyframes" not in still
    assert "animation" not in still


def test_every_order_of_the_picture_ends_at_the_same_memory():
    orders = cover.orders(len(COINS))
    assert all(sorted(order) == list(range(len(COINS))) for order in orders)
    walks = [cover.walk([COINS[coin] for coin in order]) for order in orders]
    assert {walk[-1] for walk in walks} == {(5, 3)}
    assert len({tuple(walk) for walk in walks}) > 2
    assert orders[0] == orders[-1], "the picture ends as it begins"


def test_who_wants_no_motion_gets_a_picture_at_rest():
    sources = re.findall(r'<source media="(.+?)" srcset="(.+?)">', README.read_text(encoding="utf-8"))
    first = next(file for media, file in sources if media == "(prefers-reduced-motion: reduce)")
    assert first.endswith("-still.svg")
    assert all("still" in file for media, file in sources if "reduced-motion" in media)
    moving = [number for number, (media, _) in enumerate(sources) if "reduced-motion" not in media]
    assert min(moving) == 2, "of several that fit, a browser takes the first"
    shown = {ROOT / file for file in re.findall(r'(?:srcset|src)="(book/\S+)"', README.read_text(encoding="utf-8"))}
    assert shown == set(cover.pictures(ROOT))
