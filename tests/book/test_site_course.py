"""What the site knows of a page before it draws it."""

import pytest
from tests.book.texts import page

from attend_book.site import course, maps


@pytest.fixture
def book(tmp_path):
    """A book with one executable page and one of prose."""
    (tmp_path / "about.md").write_text("---\nattend:\n  description: All of it.\n---\n# About\n\n" + "word " * 500)
    about = {"question": "Why?", "systems": "two counts"}
    page(tmp_path / "coin.md", ["# Coin\n\n" + "word " * 1300, ("x\n" * 30,)], attend=about)
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: about\nparts:\n  - caption: Memory\n    chapters:\n      - file: coin\n"
    )
    return tmp_path


def test_a_notebook_says_its_title_question_and_times(book):
    found = course.page(book, "coin")
    assert (found.title, found.question, found.minutes, found.seconds, found.notebook) == ("Coin", "Why?", 7, 120, True)
    assert found.description == "Why?"


def test_prose_is_timed_by_its_words(book):
    found = course.page(book, "about")
    assert (found.minutes, found.seconds, found.notebook) == (3, 0, False)
    assert found.description == "All of it."


def test_a_page_that_is_not_there_is_named(book):
    with pytest.raises(FileNotFoundError, match="'nowhere'"):
        course.page(book, "nowhere")


def test_markup_is_not_read_aloud():
    assert course.reading_minutes("---\nkey: value\n---\n" + "```{margin}\n:class: x\n```\n" * 400, 0) == 1
    assert course.reading_minutes("word " * 220, 0) == 1
    assert course.reading_minutes("word " * 221, 30) == 3
    assert course.reading_minutes('<img alt="word ' + "word " * 400 + '">', 0) == 1
    assert course.reading_minutes("$y_{<t}$ " + "word " * 400 + "> end", 0) == 2


def test_contents_and_chapters_follow_the_table_of_contents(book):
    site_map = course.contents(book)
    assert course.parts(site_map) == [("Memory", ["coin"])]
    assert [chapter.docname for chapter in course.chapters(book, site_map)] == ["coin"]


def test_the_map_lists_question_times_and_systems(book):
    lines = maps.entries([course.page(book, "coin")])
    assert "[Coin](/coin) [7 min, runs in 2 min]{.times}" in lines
    assert ": Why? [two counts]{.systems}" in lines


def test_the_map_adds_up_the_times_of_a_part(book):
    pages = [course.page(book, "coin"), course.page(book, "about")]
    assert "[2 pages: 10 min, runs in 2 min]{.times}" in maps.entries(pages)


@pytest.mark.parametrize(("seconds", "words"), [(5, "5 s"), (60, "60 s"), (90, "2 min"), (120, "2 min")])
def test_run_times_are_short(seconds, words):
    assert course.run_time(seconds) == words
