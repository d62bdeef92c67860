"""The README is true: its examples run, and its picture, path and claims are what the pages say today."""

import doctest
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attend_book import readme

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "book" / "_assets" / "readme.svg"


def test_the_examples_of_the_readme_run():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted == 11
    assert result.failed == 0


def test_path_and_claims_are_fresh():
    text = README.read_text(encoding="utf-8")
    assert text == readme.filled(text, ROOT), "README.md is older than the pages: make readme"


def test_the_path_names_every_page_in_the_order_of_the_course():
    linked = re.findall(r"^\| \[\w+\]\((chapters/\S+)\.ipynb\) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert linked == re.findall(r"file: (chapters/\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))


def test_a_region_is_written_anew_and_the_rest_is_kept():
    text = "before\n<!-- claims coin.learned -->\nof last year\n<!-- end -->\nafter\n<!-- path -->\n<!-- end -->\n"
    filled = readme.filled(text, ROOT)
    assert "last year" not in filled
    assert filled.startswith("before\n<!-- claims coin.learned -->\n")
    assert "\n<!-- end -->\nafter\n" in filled


def test_a_claim_that_no_page_makes_is_refused():
    with pytest.raises(ValueError, match=r"no page makes the claim coin\.nothing"):
        readme.filled("<!-- claims coin.nothing -->\n<!-- end -->", ROOT)


def test_the_picture_is_small_asks_for_nothing_and_rests_for_whoever_wants_no_motion():
    text = PICTURE.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert len(text.encode()) < 20_000
    assert not re.search(r"href|url\(|@import|<script", text)
    assert "animation:" not in re.sub(
        r"@media \(prefers-reduced-motion: no-preference\) \{.*?\n\}", "", text, flags=re.S
    )
    assert f'src="{PICTURE.relative_to(ROOT).as_posix()}"' in README.read_text(encoding="utf-8")
