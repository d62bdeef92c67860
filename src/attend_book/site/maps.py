"""The map of the course on the front page, made of what the pages say of themselves."""

from sphinx.util.docutils import SphinxDirective

from attend_book.site import claims, course


def entries(pages):
    """The list of pages as MyST text: title, times, question, systems; and under it the times of all together."""
    lines = ["::::{container} map"]
    for page in pages:
        systems = f" [{page.systems}]{{.systems}}" if page.systems else ""
        lines += [f"[{page.title}](/{page.docname}) [{times([page])}]{{.times}}", f": {page.question}{systems}", ""]
    return [*lines, f"[{len(pages)} pages: {times(pages)}]{{.times}}", "::::"] if len(pages) > 1 else [*lines, "::::"]


def times(pages):
    """How long it takes to read pages and to run them, in words."""
    minutes, seconds = sum(page.minutes for page in pages), sum(page.seconds for page in pages)
    return f"{minutes} min, runs in {course.run_time(seconds)}" if seconds else f"{minutes} min"


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
