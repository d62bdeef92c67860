"""Citations as a book prints them: Elman (1990), and (Elman, 1990) in passing."""

from dataclasses import dataclass, field

from pybtex.richtext import Tag, Text
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle, PersonStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle


def _round():
    return BracketStyle(left="(", right=")")


def _person():
    return PersonStyle(other=Text("\u00a0", Tag("em", "et\u00a0al.")))


@dataclass
class Round(AuthorYearReferenceStyle):
    """Author and year, in round brackets; "et al." stays with its name."""

    person: PersonStyle = field(default_factory=_person)
    bracket_textual: BracketStyle = field(default_factory=_round)
    bracket_parenthetical: BracketStyle = field(default_factory=_round)
    bracket_author: BracketStyle = field(default_factory=_round)
    bracket_label: BracketStyle = field(default_factory=_round)
    bracket_year: BracketStyle = field(default_factory=_round)


def setup(app):
    """Give the style its name, `round`."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", "round", Round)
