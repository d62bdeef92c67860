"""Citations as a book prints them: Elman (1990), and (Elman, 1990) in passing; an address is named in short."""

import unicodedata
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pybtex.plugin import find_plugin
from pybtex.plugin import register_plugin as register_bibliography
from pybtex.richtext import Tag, Text
from pybtex.style import template
from pybtex.style.formatting.plain import Style
from pybtex.style.sorting.author_year_title import SortingStyle
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle, PersonStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

BACKENDS = "pybtex.backends"


def brackets():
    """Round ones."""
    return BracketStyle(left="(", right=")")


@dataclass
class Round(AuthorYearReferenceStyle):
    """Author and year, in round brackets; "et al." stays with its name."""

    person: PersonStyle = field(default_factory=lambda: PersonStyle(other=Text("\u00a0", Tag("em", "et\u00a0al."))))
    bracket_textual: BracketStyle = field(default_factory=brackets)
    bracket_parenthetical: BracketStyle = field(default_factory=brackets)
    bracket_author: BracketStyle = field(default_factory=brackets)
    bracket_label: BracketStyle = field(default_factory=brackets)
    bracket_year: BracketStyle = field(default_factory=brackets)


def short(url):
    """What a link says that leads to `url`: the number of a preprint, or the site."""
    parts = urlsplit(url)
    if parts.netloc == "arxiv.org":
        return f"arXiv:{parts.path.removeprefix('/abs/')}"
    return parts.netloc.removeprefix("www.")


class Alphabet(SortingStyle):
    """By author, year and title, as a reader spells them: neither braces nor accents move a name."""

    def person_key(self, person):
        """The name in plain letters."""
        letters = unicodedata.normalize("NFKD", str(Text.from_latex(super().person_key(person))))
        return "".join(letter for letter in letters if not unicodedata.combining(letter))


class Short(Style):
    """The plain style, with a link that fits into a line where the plain one prints the whole address."""

    default_sorting_style = Alphabet

    def format_url(self, e):
        """The link to a work that has an address and no DOI."""
        return template.href(template.field("url", raw=True))[template.field("url", apply_func=short, raw=True)]


def setup(app):
    """Give the styles their names, `round` and `short`.

    What pybtex has ready under a name of its own is registered, too: else it looks through all that is installed, anew
    for each citation.
    """
    register_plugin("sphinxcontrib.bibtex.style.referencing", "round", Round)
    register_bibliography("pybtex.style.formatting", "short", Short)
    for backend in ("plaintext", "docutils"):
        register_bibliography(BACKENDS, backend, find_plugin(BACKENDS, backend), force=True)
