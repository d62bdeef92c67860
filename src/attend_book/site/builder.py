"""Sphinx's HTML builder, in two things our own: the front page is index.html, and code has few colours.

Code that has no colour of its own is plain text, which saves a third to a half of a page's elements.
"""

from functools import cache

from pygments.formatters import HtmlFormatter
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.builders.html import StandaloneHTMLBuilder

COLOURED = {
    String.Doc: Comment,
    Comment: Comment,
    Keyword: Keyword,
    Operator.Word: Keyword,
    String: String,
    Number: Number,
    Name.Function: Name.Function,
    Name.Class: Name.Function,
    Name.Decorator: Name.Decorator,
}
"""Kind of token: the one in whose colour it is written; the first that holds it counts."""


@cache
def kind(token):
    """The coloured kind to which a token belongs, or Text."""
    return next((colour for held, colour in COLOURED.items() if token in held), Text)


class Coloured(HtmlFormatter):
    """Pygments' HTML with an element for a run of coloured tokens, and none for all others."""

    def format_unencoded(self, tokensource, outfile):
        """Write the tokens, each as its coloured kind."""
        super().format_unencoded(((kind(token), text) for token, text in tokensource), outfile)


class Builder(StandaloneHTMLBuilder):
    """Wherever the source of the front page lies, its address is the site's own."""

    def _own(self, docname):
        return "index" if docname == self.config.root_doc else docname

    def get_target_uri(self, docname, typ=None):
        """The address of a page."""
        return super().get_target_uri(self._own(docname), typ)

    def get_outfilename(self, pagename):
        """The file of a page."""
        return super().get_outfilename(self._own(pagename))

    def index_page(self, pagename, doctree, title):
        """What the search finds leads to that address."""
        super().index_page(self._own(pagename), doctree, title)

    def init_highlighter(self):
        """Let code be written in few colours."""
        super().init_highlighter()
        self.highlighter.formatter = Coloured


def setup(app):
    """Put it in the place of Sphinx's own."""
    app.add_builder(Builder, override=True)
