"""What the site moves about in a line: the point after an equation, the space between a number and its unit."""

from docutils import nodes
from docutils.utils import new_document

from attend_book.site.maths import Ended
from attend_book.site.writer import Joined


def line(*parts):
    """A document of one paragraph."""
    document = new_document("page")
    document += nodes.paragraph("", "", *parts)
    return document


def test_an_equation_takes_the_point_that_follows_it_and_no_other():
    z, h = nodes.math("", "z"), nodes.math("", "h")
    document = line(
        nodes.emphasis("", "gates"), nodes.Text(". The "), z, nodes.Text(" mixes "), h, nodes.Text(". The ")
    )
    Ended(document).run()
    assert document.astext() == "gates. The z mixes h The "
    assert h["end"] == "."
    assert "end" not in z


def test_numbers_keep_their_units_and_signs():
    document = line(nodes.emphasis("", "so"), nodes.Text(" 4 × 4 "), nodes.literal("", "4 × 4"), nodes.Text(" 4 × 4 "))
    Joined(document).run()
    assert document.astext() == "so 4\u00a0×\u00a04 4 × 4 4\u00a0×\u00a04 "
