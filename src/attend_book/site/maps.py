"""The map of the course on the front page, made of what the pages say of themselves."""

from sphinx.util.docutils import SphinxDirective

from attend_book.site import claims, course


def entries(pages):
    """The list of pages as MyST text: title, question, times."""
    lines = ["::::{container} map"]
    for page in pages:
        runs = f", runs in {course.run_time(page.seconds)}" if page.seconds else ""
        lines += [f"[{page.title}](/{page.docname}) [{page.minutes} min{runs}]{{.times}}", f": {page.question}", ""]
    return [*lines, "::::"]


class Map(SphinxDirective):
    """`{map} Memory`: the executable pages of one part of the table of contents."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """A definition list: each page with its question and its times."""
        site_map = self.config.external_site_map
        parts = dict(course.parts(site_map))
        if self.arguments[0] not in parts:
            return []
        pages = [course.page(self.env.srcdir, docname) for docname in parts[self.arguments[0]]]
        for page in pages:
            self.env.note_dependency(f"{self.env.srcdir}/{page.docname}{'.ipynb' if page.notebook else '.md'}")
        return claims.parse(self, entries(pages))


def setup(app):
    """Register the directive."""
    app.add_directive("map", Map)
