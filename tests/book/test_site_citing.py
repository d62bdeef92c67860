"""How the bibliography names a work's address."""

import pytest
from pybtex.backends.html import Backend
from pybtex.database import parse_string

from attend_book.site import citing

WORK = "@misc{key, title = {Reading}, author = {Doe, Jane}, year = {2017}, "


def shown(address):
    """The entry of a work with this field, as the bibliography prints it."""
    (work,) = citing.Short().format_bibliography(parse_string(WORK + address + "}", "bibtex"))
    return work.text.render(Backend())


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://arxiv.org/abs/1706.03762", "arXiv:1706.03762"),
        ("https://papers.nips.cc/paper_files/paper/1995/hash/c667d53a-Abstract.html", "papers.nips.cc"),
        ("https://www.example.org/a", "example.org"),
    ],
)
def test_a_link_is_short_and_leads_to_the_whole_address(url, says):
    assert shown("url = {" + url + "}").endswith(f'<a href="{url}">{says}</a>.')


def test_a_work_with_a_doi_alone_needs_no_address():
    assert shown("doi = {10.1/2}").endswith('<a href="https://doi.org/10.1/2">doi:10.1/2</a>.')


def test_works_stand_in_the_order_of_the_alphabet():
    authors = ["Weiss, Gail", "{Clear Bible, Inc}", "{\\'E}douard, Jean", "Elman, Jeffrey L.", "Doe, Jane"]
    works = (f"@misc{{k{i}, author = {{{name}}}, title = {{T}}, year = 2000}}" for i, name in enumerate(authors))
    listed = citing.Short().format_bibliography(parse_string("\n".join(works), "bibtex"))
    assert [int(work.key[1:]) for work in listed] == [1, 4, 2, 3, 0]
