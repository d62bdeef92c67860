"""The allow-list for HTML: what could act, ask another host or hide from a parser is refused, and words are not."""

import pytest

from attend_book.site import markup

BAD = [
    "<img src=x onerror=go()>",
    "<svg/onload=go()>",
    "<IMG SRC=x OnErRoR=go()>",
    '<p srcdoc="<script>go()</script>">x</p>',
    '<iframe srcdoc="x"></iframe>',
    '<base href="https://elsewhere.test/">',
    '<meta http-equiv="refresh" content="0;url=https://elsewhere.test/">',
    "<script>go()</script>",
    '<a href="javascript:go()">x</a>',
    '<a href="java&#115;cript:go()">x</a>',
    '<a href="java\nscript:go()">x</a>',
    '<a href=" data:text/html,x">x</a>',
    '<img src="https://elsewhere.test/x.png">',
    '<img src="//elsewhere.test/x.png">',
    '<img src="/\\elsewhere.test/x.png">',
    '<img srcset="https://elsewhere.test/x.png 2x">',
    "<p style=\"background: url('https://elsewhere.test/x.png')\">x</p>",
    "<style>@import 'https://elsewhere.test/x.css';</style>",
    '<svg><use href="https://elsewhere.test/x.svg#a"/></svg>',
    '<svg><a xlink:href="javascript:go()"><text>x</text></a></svg>',
    "<svg><foreignObject><iframe></iframe></foreignObject></svg>",
    "<svg><title><img src=x onerror=go()></title></svg>",
    "<math><mtext><script>go()</script></mtext></math>",
    '<form action="https://elsewhere.test/"></form>',
    '<object data="x.swf"></object>',
    "<!--><img src=x onerror=go()>-->",
    "<![CDATA[<img src=x onerror=go()>]]>",
    "<img src=x onerror=go()",
]
GOOD = [
    "a < b, 1 &lt; 2 &amp;&amp; <code>&lt;script&gt;</code>",
    '<table class="x"><tr><th scope="row" style="font-weight:400">a</th><td colspan=2>b</td></tr></table>',
    '<a href="https://elsewhere.test/">a link is no request</a><a href="#x">x</a><a href="../a.html">x</a>',
    '<img src="data:image/png;base64,AA==" alt=""><img src="../_images/a.png" alt="">',
    '<svg viewBox="0 0 1 1" role="img" aria-label="a"><defs><marker id="m" refX="1"/></defs>'
    '<path class="ink" d="M0,0" marker-end="url(#m)"/><use href="#m"/></svg>',
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi mathvariant="normal">x</mi></math>',
]


@pytest.mark.parametrize("html", BAD)
def test_what_could_act_or_ask_is_refused(html):
    assert markup.faults(html)
    assert markup.faults(f"<html><body>{html}</body></html>", whole=True)


@pytest.mark.parametrize("html", GOOD)
def test_what_only_shows_is_allowed(html):
    assert markup.faults(html) == []


def test_a_page_may_have_scripts_of_its_own_site_and_an_address():
    head = '<!DOCTYPE html><html><head><title>1 &lt; 2</title><script src="../_static/a.js" defer></script>'
    assert markup.faults(f'{head}<link rel="canonical" href="https://own.test/a.html"></head></html>', whole=True) == []
    assert markup.faults(head)
