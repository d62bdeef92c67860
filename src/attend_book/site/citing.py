"""Citations as a book prints them: Elman (1990), and (Elman, 1990) in passing."""

from dataclasses import dataclass, field

from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle


def _round():
    return BracketStyle(left="(", right=")")


@dataclass
class Round(AuthorYearReferenceStyle):
    """Author and year, in round brackets."""

    bracket_textual: BracketStyle = field(default_factory=_round)
    bracket_parenthetical: BracketStyle = field(default_factory=_round)
    bracket_author: BracketStyle = field(default_factory=_round)
    bracket_label: BracketStyle = field(default_factory=_round)
    bracket_year: BracketStyle = field(default_factory=_round)


def setup(app):
    """Give the style its name, `round`."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", "round", Round)
