"""Every picture says in words what there is to see."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from tests.house.course import PAGES, nothing, page, page_name, read

from attend_book import ROOT

SHORTEST = 20
PICTURES = ("image/png", "image/jpeg", "image/svg+xml", "image/gif")
MARKDOWN = re.compile(r"!\[(?P<alt>[^\]]*)\]\([^)]+\)")
DIRECTIVE = re.compile(r"[`:]{3,}\{(?:image|figure)\}[^\n]*\n(?P<options>(?::[^\n]*\n)*)")
TAG = re.compile(r"<img\b(?P<attributes>[^>]*)>")


def silent(nb):
    """Pictures of a page without alt text, or with one too short to say anything."""
    for number, cell in enumerate(nb.cells, 1):
        if cell.cell_type == "markdown":
            yield from (f"cell {number}: {said}" for said in silent_text(cell.source))
        tags = cell.metadata.get("tags", ())
        given = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        for output in cell.get("outputs", ()) if "remove-cell" not in tags else ():
            for kind in PICTURES:
                if kind in output.get("data", {}):
                    alt = output.get("metadata", {}).get(kind, {}).get("alt") or given
                    if len(alt.strip()) < SHORTEST:
                        yield f"cell {number}: a picture with alt text {alt!r} (mystnb: image: alt)"


def silent_text(text):
    """Pictures in markdown without alt text."""
    for match in MARKDOWN.finditer(text):
        if len(match["alt"]) < SHORTEST:
            yield f"a picture with alt text {match['alt']!r}"
    for match in DIRECTIVE.finditer(text):
        if len("".join(re.findall(r":alt:(.*)", match["options"])).strip()) < SHORTEST:
            yield "an image directive without :alt:"
    for match in TAG.finditer(text):
        if not re.search(r"\balt=", match["attributes"]):
            yield "an <img> without alt"


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_pages(path):
    nothing(silent(read(path)))


def test_front_and_back_matter():
    for path in [*ROOT.glob("*.md"), *(ROOT / "book").rglob("*.md")]:
        nothing(f"{path.name}: {said}" for said in silent_text(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    ["![a gate](gate.svg)", "```{figure} gate.svg\n:width: 3\n```", '<img src="gate.svg">'],
    ids=["md", "myst", "html"],
)
def test_a_silent_picture_is_named(text):
    assert len(list(silent(page(new_markdown_cell(text))))) == 1


def test_a_silent_output_is_named():
    drawn = new_output("display_data", {"image/png": "iVBO"})
    told = new_output(
        "display_data", {"image/png": "iVBO"}, metadata={"image/png": {"alt": "A line that rises from 0 to 1."}}
    )
    assert len(list(silent(page(new_code_cell("plot()", outputs=[drawn, told]))))) == 1
