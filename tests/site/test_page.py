"""Every page of the built site in a real browser, with the network otherwise blocked."""

import math
from urllib.parse import urlsplit

import pytest
from tests.site import built, driver
from tests.site.conftest import PHONE
from tests.site.samples import SAMPLES, numbers
from tests.site.server import PREFIX

pytestmark = pytest.mark.site

WEIGHT = 250 * 1024
HEAVIER = {
    "chapters/transformers/self_attention.html": 310 * 1024,  # brings a language model of 112,319 weights
    "chapters/memory/gradients.html": 430 * 1024,  # brings four, of 38,000 weights each
    "chapters/soft/saliency.html": 340 * 1024,  # brings three, of 39,000 weights each
    "chapters/soft/hybrid.html": 310 * 1024,  # brings two recognisers, without their encoders, of 40,000 weights each
    "chapters/hard/captioner.html": 280 * 1024,  # brings an encoder and two decoders, 88,910 weights
    "chapters/hard/soft_or_hard.html": 255 * 1024,  # brings five estimators and large pictures
    "chapters/soft/read.html": 275 * 1024,  # brings two figures, one of them with two trained translators
    "chapters/transformers/bert.html": 295 * 1024,  # brings an encoder of 67,531 weights, as float16
    "chapters/transformers/parser.html": 275 * 1024,  # brings two parsers of 45,000 weights each
    "chapters/transformers/elmo.html": 345 * 1024,  # brings two layers of LSTMs in each direction, and 1,500 words
    "chapters/transformers/ulmfit.html": 350 * 1024,  # brings two LSTMs, 1,500 words and a classifier
    "chapters/transformers/gpt.html": 300 * 1024,  # brings a language model of 105,792 weights and eleven drawings
    "chapters/memory/supervision.html": 300 * 1024,  # two trained models, one with a vocabulary of 3,000 words
}
RULES = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
AXE = """async (rules) => (await axe.run(document, rules)).violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(node => node.target.join(" ")).slice(0, 3).join(" | ")}`)"""
STIRRING = """() => document.getAnimations().filter(a => a.playState === "running" && a.effect.getTiming().duration > 1)
    .map(a => `${a.effect.target.tagName} ${a.animationName ?? a.transitionProperty}`)"""
DRAWN = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"""

WIDE = """width => {
    const scrolls = e => e && e !== document.body
        && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width && !scrolls(e))
        .map(e => e.outerHTML.slice(0, 120)).slice(-3);
}"""


@pytest.fixture(scope="session")
def axe(npm):
    """`axe(visit, theme)`: what axe finds, in words."""
    script = (npm / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def find(visit, theme):
        visit.theme(theme)
        visit.page.evaluate(script)
        return visit.page.evaluate(AXE, RULES)

    return find


def test_it_is_quiet_and_asks_nobody_else(desk):
    desk.heard.check()


def test_it_is_light(desk, record_property):
    files = {urlsplit(url).path.removeprefix(PREFIX) for url in desk.loaded if url.startswith("http")}
    sizes = {name: len(built.travels(built.SITE / name)) for name in files}
    brings = f"{desk.path}: {sum(sizes.values()) / 1024:.0f} KB gzipped, {len(desk.figures())} live figures"
    record_property("measured", brings)
    largest = sorted(sizes.items(), key=lambda entry: -entry[1])[:8]
    assert sum(sizes.values()) <= HEAVIER.get(desk.path, WEIGHT), f"{sum(sizes.values()) / 1024:.0f} KB: {largest}"


def test_a_chapter_has_a_live_figure(desk):
    if desk.path in built.notebooks():
        assert desk.figures()


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_axe_finds_nothing_on_a_desk(desk, axe, theme):
    found = axe(desk, theme)
    assert not found, "\n".join(found)


def test_the_controls_of_its_figures_have_names(desk):
    found = [line for figure in desk.figures() for line in driver.nameless(figure)]
    assert not found, found


def test_its_figures_compute(desk):
    for name in sorted({figure.get_attribute("data-live") for figure in desk.figures()}):
        assert name in SAMPLES, f"{name}: no example input in tests/site/samples.py"
        ask = "async ([name, input]) => JSON.parse(JSON.stringify(await attend.compute(name, input)))"
        said = numbers(desk.page.evaluate(ask, [name, SAMPLES[name]]))
        assert said, f"{name}: no number came out"
        assert all(map(math.isfinite, said)), name


def test_its_figures_answer_the_keyboard(desk):
    for figure in desk.figures():
        name = figure.get_attribute("data-live")
        inert, seen, used = driver.by_keyboard(figure)
        assert used, f"{name}: no control to use"
        assert not inert, f"{name}: these controls change nothing: {inert}"
        assert seen[1], f"{name}: nothing but the controls themselves ever changes"
    desk.heard.check()


def test_little_motion_is_honoured(desk):
    for figure in desk.figures():
        name, buttons = figure.get_attribute("data-live"), figure.locator("button:enabled")
        for i in range(min(buttons.count(), 6)):
            if i < buttons.count():
                buttons.nth(i).press("Enter")
                desk.page.evaluate(DRAWN)
                before = driver.snapshot(figure)
                desk.page.wait_for_timeout(250)
                assert driver.snapshot(figure) == before, f"{name}: button {i} sets off motion"
    assert not desk.page.evaluate(STIRRING)
    assert desk.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


DRAWINGS = "main svg:not([data-live] svg, svg svg)"
CUT_OFF = """drawings => [...document.querySelectorAll(drawings)].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(text => {
    const box = text.getBoundingClientRect();
    const over = Math.max(frame.left - box.left, box.right - frame.right, box.bottom - frame.bottom);
    return frame.width > 0 && box.width > 0 && over > 1;
  }).map(text => text.textContent.trim());
})"""
"""The words of drawn diagrams that reach beyond them by more than a pixel."""


def test_it_fits_a_phone(phone):
    width = PHONE["width"]  # a phone widens innerWidth to what sticks out, so that it is no measure
    assert phone.page.evaluate("document.scrollingElement.scrollWidth") <= width, phone.page.evaluate(WIDE, width)
    assert phone.page.evaluate(CUT_OFF, DRAWINGS) == []
    phone.heard.check()


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.nightly), "dark"])
def test_axe_finds_nothing_on_a_phone(phone, axe, theme):
    found = axe(phone, theme)
    assert not found, "\n".join(found)


def test_its_figures_answer_a_finger(phone):
    for figure in phone.figures():
        inert = driver.by_touch(phone.page, figure)
        assert not inert, f"{figure.get_attribute('data-live')}: {inert}"
    phone.heard.check()
    assert phone.refused() == []


def test_it_opens_from_disk(disk):
    disk.heard.check()
    assert disk.refused() == []


def test_without_scripts_the_stills_show(bare):
    for place in bare.figures():
        still = place.locator("img.still")
        assert still.count() == 1, f"{place.get_attribute('data-key')} has no still picture: make stills"
        still.scroll_into_view_if_needed()
        still.wait_for(state="visible", timeout=3000)
        assert len(still.get_attribute("alt")) >= 20
        assert still.bounding_box()["width"] >= 200
        assert still.evaluate("e => e.complete && e.naturalWidth > 0"), "the still did not arrive"
    assert bare.page.locator("main h1").is_visible()
    bare.heard.check()
