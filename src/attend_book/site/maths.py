"""Equations, drawn by sphinxcontrib-katex while the book is built: readers get finished HTML and MathML."""

import re

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.math import get_node_equation_number
from sphinxcontrib import katex

from attend_book.node import node_program
from attend_book.site.writer import swap, whole

katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # the usual 5 s are too short for a machine that does much else
UNSEEN = re.compile(r"\\(?:operatorname|mathrm|text)\b|[{}]")
ENDS = ".,:;!?)"
MACROS = {"\\R": "\\mathbb{R}", "\\E": "\\mathbb{E}"}
# Letters that its fonts do not have.
SPELLED = {"½": "\\tfrac{1}{2}", "¼": "\\tfrac{1}{4}", "¾": "\\tfrac{3}{4}"}


def draw(latex, display, where):
    """HTML and MathML of one equation; ExtensionError names the page for one that KaTeX cannot read."""
    katex.NODEJS_BINARY = node_program()
    for letter, command in SPELLED.items():
        latex = latex.replace(letter, command)
    options = {"displayMode": display, "throwOnError": True, "strict": "ignore", "macros": MACROS}
    try:
        return katex.render_latex(latex, options)
    except katex.KaTeXError as error:
        raise ExtensionError(f"{where}: KaTeX cannot read {latex!r}: {error}") from error


class Ended(SphinxPostTransform):
    """Hand the point or comma after an equation to the equation, or a browser may begin a line with it."""

    default_priority = 900

    def run(self, **kwargs):
        """Move it out of the text that follows."""
        for node in self.document.findall(nodes.math):
            text = node.next_node(descend=False, siblings=True)
            if isinstance(text, nodes.Text) and text.startswith(tuple(ENDS)):
                rest = text.lstrip(ENDS)
                node["end"] = text[: len(text) - len(rest)]
                swap(text, rest)


def visit_inline(self, node):
    """An equation in the line, in one piece when it is short, with the point or comma after it."""
    latex, end = node.astext(), node.get("end", "")
    kept = " whole" if whole(UNSEEN.sub("", latex)) else ""
    self.body.append(f'<span class="math{kept}">{draw(latex, False, self.builder.current_docname)}{end}</span>')
    raise nodes.SkipNode


def visit_display(self, node):
    """An equation on a line of its own, with its number when it has a label."""
    self.body.append(self.starttag(node, "div", "", CLASS="math"))
    latex = node.astext()
    if not node.get("nowrap") and ("\\\\" in latex or "&" in latex) and "\\begin{" not in latex:
        latex = f"\\begin{{aligned}}{latex}\\end{{aligned}}"
    self.body.append(f'<div class="scrolls">{draw(latex, True, self.builder.current_docname)}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer `attend` for html_math_renderer."""
    app.add_html_math_renderer("attend", (visit_inline, None), (visit_display, None))
    app.add_post_transform(Ended)
