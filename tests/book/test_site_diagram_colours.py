"""Diagrams by the style sheet alone: every colour can be told from the paper, and they fit a phone."""

from pathlib import Path

import pytest

from attend_book import ROOT

CSS = "".join(
    (ROOT / "book/_assets/css" / name).read_text() for name in ("10-tokens.css", "20-base.css", "65-diagrams.css")
)
SAMPLE = Path(__file__).with_name("diagram.svg").read_text(encoding="utf-8")
COLOURS = ("ink", "muted", "blue", "orange", "green", "red")
CONTRAST = """name => {
    const seen = (colour) => {
        const pixel = new OffscreenCanvas(1, 1).getContext("2d");
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        const light = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05;
    };
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("class", name);
    const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    box.setAttribute("class", `box ${name}`);
    document.querySelector(".diagram").append(text, box);
    const word = seen(getComputedStyle(text).fill);
    return [getComputedStyle(document.body).backgroundColor, getComputedStyle(box).fill]
        .map(seen).map(paper => Math.max(paper / word, word / paper));
}"""


@pytest.fixture
def page(opened):
    """`page(mode, width)`: the sample in that mode and window."""

    def draw(mode, width=1280):
        shown = opened(color_scheme=mode, viewport={"width": width, "height": 600})
        shown.set_content(
            f"<!DOCTYPE html><html data-theme={mode}><style>{CSS}</style><body><main>{SAMPLE}</main></body>"
        )
        return shown

    return draw


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("colour", COLOURS)
def test_words_of_every_colour_are_legible_on_paper_and_in_their_box(page, mode, colour):
    assert min(page(mode).evaluate(CONTRAST, colour)) >= 4.5


def test_a_diagram_fits_a_phone(page):
    phone = page("light", 360)
    assert phone.evaluate("document.scrollingElement.scrollWidth") <= 360
    left, right = phone.evaluate(
        "(box => [box.left, box.right])(document.querySelector('.diagram').getBoundingClientRect())"
    )
    assert left >= 0
    assert right <= 360
