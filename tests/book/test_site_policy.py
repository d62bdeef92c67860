"""Style attributes become classes that rank as high, the policy names them, and what none allows is refused."""

import base64
import hashlib
import re

import pytest
from sphinx.errors import ExtensionError

from attend_book.site import policy

PAGE = '<!DOCTYPE html>\n<head>\n<meta charset="utf-8">\n<script src="a.js"></script>\n</head><body>{}</body>'


def test_equal_styles_share_a_class_and_keep_their_rank():
    text = '<span class="a" style="height:1em;top:-2em;">x</span><i style="color: red">y</i><b style="color: red">z</b>'
    page, css = policy.classed(text)
    assert page == '<span class="_0 a">x</span><i class="_1">y</i><b class="_1">z</b>'
    assert css == "._0{height:1em!important;top:-2em!important}._1{color: red!important}"


@pytest.mark.parametrize(
    "text", ["<p>a style=\"x\" in words</p>", '<p title="a > b">x</p>', "<p>1 < 2</p>", '<a data-style="x">y</a>']
)  # fmt: skip
def test_what_is_no_style_attribute_is_left_alone(text):
    assert policy.classed(text) == (text, "")


def test_a_page_without_styles_allows_none(tmp_path):
    (tmp_path / "a.html").write_text(PAGE.format("<p>x</p>"))
    policy.settle(tmp_path)
    page = (tmp_path / "a.html").read_text()
    assert "style-src 'self';" in page
    assert "<style>" not in page
    assert page.index("Content-Security-Policy") < page.index("<script")


def test_the_policy_names_the_style_element_by_its_hash(tmp_path):
    (tmp_path / "a.html").write_text(PAGE.format('<p style="color: red">x</p>'))
    policy.settle(tmp_path)
    page = (tmp_path / "a.html").read_text()
    css = re.search("<style>(.*)</style>", page)[1]
    assert base64.b64encode(hashlib.sha256(css.encode()).digest()).decode() in page
    assert "unsafe" not in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>go()</script>",
        '<p onclick="go()">x</p>',
        '<a href="javascript:go()">x</a>',
        "<style>p { color: red }</style>",
        '<p style="background: url(a.png)">x</p>',
        '<SPAN STYLE="color: red">x</SPAN>',
    ],
)
def test_what_no_policy_allows_stops_the_build(tmp_path, text):
    (tmp_path / "a.html").write_text(PAGE.format(text))
    with pytest.raises(ExtensionError, match=r"no page may hold:\n  a\.html: "):
        policy.settle(tmp_path)
