"""The glossary's file and its words, without a site. (tests/site/test_glossary.py reads the built pages.)"""

from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from attend_book.site import course, terms

ENTRIES = """
- term: keep gate
  also: [update gate]
  taught: gating/gru
  says: the share that stays
- term: gate
  forms: [gated]
  apart: [garden gate]
  taught: memory/clockwork
  says: a number between 0 and 1
- term: key
  homonym: true
  taught: soft/scores
  says: a vector that may answer
"""


@pytest.fixture
def glossary(tmp_path):
    return write(tmp_path, ENTRIES)


def write(where, entries):
    (where / "book").mkdir(exist_ok=True)
    (where / "book" / "glossary.yml").write_text(entries, encoding="utf-8")
    return terms.read(where)


def used(glossary, text):
    return [(term.term, text[start:end]) for start, end, term in glossary.uses(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Gates open.", [("gate", "Gates")]),
        ("a keep-gate and an update\ngate", [("keep gate", "keep-gate"), ("keep gate", "update\ngate")]),
        ("gated units", [("gate", "gated")]),
        ("agate, gateway, floodgate", []),
        ("a garden gate", []),
        ("the Tab key", []),
    ],
)
def test_words_are_found_in_every_form_and_nowhere_else(glossary, text, found):
    assert used(glossary, text) == found


def test_a_bold_name_is_a_definition_on_its_own_page_only(glossary):
    assert glossary.defined("Keys", "chapters/soft/scores").term == "key"
    assert glossary.defined("key", "chapters/soft/read") is None
    assert glossary.defined("the key", "chapters/soft/scores") is None


def test_a_book_may_have_no_glossary(tmp_path):
    assert terms.read(tmp_path).terms == ()


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ("- term: gate\n  taught: gating/gru\n", "says"),
        ("- term: gate\n  taught: gating/gru\n  says: x\n  see: y\n", "see"),
        ("- term: gate\n  taught: a/b\n  says: x\n- term: Gates\n  taught: a/b\n  says: y\n", "names two terms"),
    ],
)
def test_a_broken_entry_is_refused_by_name(tmp_path, entries, complaint):
    with pytest.raises(ExtensionError, match=complaint):
        write(tmp_path, entries)


def test_a_page_that_teaches_and_is_not_in_the_contents_is_named(tmp_path):
    contents = "format: jb-book\nroot: front\nparts:\n  - chapters:\n      - file: chapters/a/b\n"
    (tmp_path / "_toc.yml").write_text(contents)
    write(tmp_path, "- term: gate\n  taught: a/b\n  says: x\n- term: window\n  taught: a/c\n  says: x\n")
    config = SimpleNamespace(external_site_map=course.contents(tmp_path))
    with pytest.raises(ExtensionError, match=r"_toc\.yml does not name .*: chapters/a/c \(window\)$"):
        terms.start(SimpleNamespace(srcdir=tmp_path, config=config), SimpleNamespace(), (), (), ())
