"""The content security policy: on every page, kept by every page in use, and able to stop what it must stop."""

import pytest
from tests.browser import Listener
from tests.site import built
from tests.site.conftest import REFUSED, until, watched

each_page = pytest.mark.parametrize("path", built.paths() or ["index.html"])
# What somebody might bring into a page: (directive that refuses it, script that tries it).
INTRUSIONS = {
    "a script in the page": ("script-src-elem", "const s = made('script'); s.text = 'window.broken = 1'"),
    "a script of another host": ("script-src-elem", "const s = made('script'); s.src = 'https://x.test/x.js'"),
    "a handler in the markup": ("script-src-attr", "document.body.insertAdjacentHTML('beforeend', "
                                "'<img src=\"_static/favicon.svg\" onload=\"window.broken = 1\">')"),
    "text as a script": ("script-src", "setTimeout('window.broken = 1')"),
    "an image of another host": ("img-src", "const s = new Image(); s.src = 'https://x.test/x.png'"),
    "a frame": ("frame-src", "const s = made('iframe'); s.src = 'https://x.test/'"),
    "a style": ("style-src-elem", "const s = made('style'); s.textContent = 'p { color: red }'"),
    "words to another host": ("connect-src", "fetch('https://x.test/').catch(() => 0)"),
}  # fmt: skip
TRY = """() => {
    const made = name => document.createElement(name);
    refused = [];
    SCRIPT;
    if (typeof s === "object") document.body.append(s);
}"""


@each_page
def test_a_page_has_the_policy_and_no_word_that_weakens_it(path):
    page = built.markup(path)
    (policy,) = [a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'self'"]
    assert rules["object-src"] == ["'none'"]
    assert {"base-uri", "form-action"} <= rules.keys()
    assert "script-src" not in rules
    sources = {source for rule in rules.values() for source in rule}
    assert {source for source in sources if not source.startswith("'sha256-")} <= {"'self'", "'none'"}, policy
    first = next(tag for tag, given in page.elements if tag in ("link", "script", "style") or "http-equiv" in given)
    assert first == "meta", "something is fetched before the policy holds"


@pytest.mark.site
def test_a_page_in_use_keeps_to_its_policy(desk):
    assert desk.refused() == []


@pytest.mark.site
@pytest.mark.parametrize("how", ["served", "disk"])
def test_the_policy_stops_what_does_not_belong(chromium, address, how):
    context = watched(chromium.new_context())
    heard, page = Listener(context), context.new_page()
    page.goto((address if how == "served" else f"{built.SITE.as_uri()}/") + "index.html")
    assert page.evaluate(REFUSED) == []
    stopped = {}
    for name, (_, script) in INTRUSIONS.items():
        page.evaluate(TRY.replace("SCRIPT", script))
        until(page, "refused.length")
        stopped[name] = page.evaluate(REFUSED)[0].split(":")[0]
    broken = page.evaluate("window.broken")
    context.close()
    assert stopped == {name: directive for name, (directive, _) in INTRUSIONS.items()}
    assert broken is None
    assert heard.abroad == []
