"""Sphinx's HTML builder, in two things our own: the front page is index.html, and code has few colours."""

from sphinx.builders.html import StandaloneHTMLBuilder

from attend_book.site.colours import Coloured


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
