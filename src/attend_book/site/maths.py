"""Equations, drawn by KaTeX while the book is built: the reader's browser gets finished HTML and MathML.

The library is that of sphinxcontrib-katex. Its server is not: it may be asked before it listens, and outlives a build
that is killed. Ours ends with its input, and so with the build.
"""

import html
import json
import re
import subprocess
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.math import get_node_equation_number
from sphinxcontrib import katex

from attend_book.node import node_program
from attend_book.site.writer import swap, whole

LETTERS = set()
"""What has been drawn so far needs of KaTeX's fonts."""
DRAWN = re.compile(r'class="katex-html"[^>]*>')
TAG = re.compile(r"<[^>]*>")
UNSEEN = re.compile(r"\\(?:operatorname|mathrm|text)\b|[{}]")
ENDS = ".,:;!?)"
MACROS = {"\\R": "\\mathbb{R}", "\\E": "\\mathbb{E}"}
# Letters that its fonts do not have.
SPELLED = {"½": "\\tfrac{1}{2}", "¼": "\\tfrac{1}{4}", "¾": "\\tfrac{3}{4}"}


@cache
def server():
    """The node process that draws."""
    command = [node_program(), Path(__file__).with_name("katex.cjs"), Path(katex.__file__).with_name("katex.min.js")]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def close(*_):
    """End the node process, if there is one."""
    if server.cache_info().currsize:
        with server():
            server.cache_clear()


def draw(latex, display, where):
    """HTML and MathML of one equation; ExtensionError names the page for one that KaTeX cannot read."""
    for letter, command in SPELLED.items():
        latex = latex.replace(letter, command)
    options = {"displayMode": display, "throwOnError": True, "strict": "ignore", "macros": MACROS}
    server().stdin.write(json.dumps({"latex": latex, "options": options}) + "\n")
    server().stdin.flush()
    answer = json.loads(server().stdout.readline() or '{"error": "node ended"}')
    if "error" in answer:
        raise ExtensionError(f"{where}: KaTeX cannot read {latex!r}: {answer['error']}")
    LETTERS.update(html.unescape(TAG.sub("", DRAWN.split(answer["html"])[1])))  # before it stands the MathML
    return answer["html"]


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
    app.connect("build-finished", close)
