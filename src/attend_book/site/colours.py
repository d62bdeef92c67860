"""Code in few colours: what has none of its own is plain text, a third to a half of a page's elements less."""

from functools import cache

from pygments.formatters import HtmlFormatter
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

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
