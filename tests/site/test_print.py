"""Each page on paper: A4, as the reader left it, dark theme and all. What the PDF says is read by PDFium."""

import io
import re
from dataclasses import dataclass, field

import pypdfium2
import pytest
from PIL import ImageStat
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE
from tests.site import built

pytestmark = pytest.mark.site

MILLIMETRE = 72 / 25.4
MARGIN, MOST_PAGES = 17 * MILLIMETRE, 45
HEADINGS = """[...document.querySelectorAll("main :is(h1, h2, h3)")].filter(e => !e.querySelector(".math")).map(e => {
    const copy = e.cloneNode(true); copy.querySelectorAll(".headerlink").forEach(link => link.remove());
    return copy.textContent; })"""
FOLDED = """[...document.querySelectorAll("main details")].map(e =>
    [...e.querySelectorAll("p, .highlight pre")].filter(e => !e.querySelector(".math")).at(-1)?.textContent ?? "")"""
PICTURES = """document.querySelectorAll("main .cell_output img, main figure img, .attend-live:not(.drawn) img.still")
    .length"""
PROSE = """[...document.querySelectorAll("main p:not(.under-title, .attend-live p), main li")]
    .map(e => e.textContent).join(" ")"""
NAVIGATION = ("Skip to the text", "Binder", "Colab", "Start again")


@dataclass
class Paper:
    """A printed page: its sheets, the letters of each without spaces, its lines from top to bottom, its pictures."""

    document: pypdfium2.PdfDocument
    letters: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    edges: list[tuple[float, float, float]] = field(default_factory=list)
    pictures: int = 0

    def __post_init__(self):
        for sheet in self.document:
            text = sheet.get_textpage()
            boxes = [text.get_rect(i) for i in range(text.count_rects())]
            self.letters.append(letters(text.get_text_range()))
            self.lines.append([letters(line) for line in text.get_text_range().splitlines() if line.strip()])
            self.edges.append((min(b[0] for b in boxes), max(b[2] for b in boxes), sheet.get_width()))
            self.pictures += len(list(sheet.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])))


def letters(text: str) -> str:
    """A text without spaces and hyphens of any kind, which a line that breaks may change."""
    return re.sub(r"[\s\u00ad\u2010\u200b\ufffe-]+", "", text)


def printed(page) -> Paper:
    """Print an open page."""
    return Paper(pypdfium2.PdfDocument(io.BytesIO(page.pdf(format="A4"))))


@pytest.fixture(scope="session")
def paper(visit):
    """The page in its dark theme, printed."""
    visit.by("desk").theme("dark")
    made = printed(visit.page)
    yield made
    made.document.close()


def test_all_of_it_is_on_paper(desk, paper):
    assert 1 <= len(paper.letters) <= MOST_PAGES
    headings, whole = [letters(text) for text in desk.page.evaluate(HEADINGS)], "".join(paper.letters)
    assert headings[0] in paper.letters[0]
    assert headings[-1] in whole
    assert all(len(sheet) > 1 for sheet in paper.letters), "a sheet with nothing but its number"
    assert paper.pictures >= desk.page.evaluate(PICTURES)


def test_every_fold_is_open(desk, paper):
    whole = "".join(paper.letters)
    # No more than this, for a line may go on on the next sheet.
    closed = [text for text in desk.page.evaluate(FOLDED) if letters(text)[-30:] not in whole]
    assert not closed, closed[:3]


def test_nothing_is_cut_at_the_edge(paper):
    cut = [i for i, (left, right, width) in enumerate(paper.edges, 1) if left < MARGIN or right > width - MARGIN]
    assert not cut, f"text in the margin of sheets {cut}"


def test_no_heading_stands_alone_at_the_end_of_a_sheet(desk, paper):
    headings = {letters(text) for text in desk.page.evaluate(HEADINGS)}
    ends = [line[-2] for line in paper.lines if len(line) > 1]  # the last line is the number
    assert not headings & set(ends)


def test_it_is_ink_on_white_and_nothing_to_press(desk, paper):
    sheet = paper.document[0].render(scale=0.5).to_pil().convert("L")
    assert sheet.getpixel((2, 2)) == 255
    assert ImageStat.Stat(sheet).mean[0] > 200
    whole, prose = "".join(paper.letters), letters(desk.page.evaluate(PROSE))  # the text may speak of a button
    assert not [words for words in NAVIGATION if whole.count(letters(words)) > prose.count(letters(words))]


@pytest.mark.nightly
def test_a_page_that_was_not_scrolled_is_printed_whole(opened, address):
    page = opened(viewport={"width": 1280, "height": 900})
    page.goto(address + (built.notebooks() or ["index.html"])[0])
    assert printed(page).pictures >= page.evaluate(PICTURES) > 0
