"""How the site writes what Sphinx would write with more: folds as <details>, tables that scroll inside themselves."""

import html
import re
from pathlib import Path

import imagesize
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator


class Margin(SphinxDirective):
    """`{margin}`: a note beside the text; on a narrow screen it stands in the text."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """A container with the class `margin`."""
        note = nodes.container(classes=["margin"])
        if self.arguments:
            parsed, messages = self.state.inline_text(self.arguments[0], self.lineno)
            note += nodes.paragraph("", "", nodes.strong("", "", *parsed), *messages, classes=["head"])
        self.state.nested_parse(self.content, self.content_offset, note)
        return [note]


def whole(text):
    """True for code or an equation so short that a line, even on a phone, never has to break it."""
    return len(text) <= 35


def swap(text, new):
    """Put other words in the place of a text; by identity, for texts that read the same count as equal."""
    place = next(i for i, child in enumerate(text.parent) if child is text)
    text.parent[place] = nodes.Text(new)


class Joined(SphinxPostTransform):
    """Keep a number on one line with its unit and with the sign of multiplication: 15 °C, 98 %, 4 × 4."""

    default_priority = 900
    space = re.compile(r"(?<=\d) (?=[×%°])|(?<=×) (?=\d)")

    def run(self, **kwargs):
        """Make the space between them one that does not break; code stays as it is."""
        for text in list(self.document.findall(nodes.Text)):
            parent = text.parent
            if self.space.search(text) and not isinstance(parent, nodes.FixedTextElement | nodes.literal | nodes.math):
                swap(text, self.space.sub("\u00a0", text))


def folded(node):
    """True for an admonition that the reader opens."""
    return "dropdown" in node.get("classes", ())


def shown_size(path):
    """Width and height in CSS pixels at which a PNG is meant to be seen, by its own resolution; None for others."""
    if path.suffix != ".png":
        return None
    (width, height), (dots, _) = imagesize.get(path), imagesize.getDPI(path)
    scale = 96 / dots if dots > 0 else 1
    return round(width * scale), round(height * scale)


def number(app, env):
    """Number exercises anew on every page, as a reader counts them."""
    for numbers in env.toc_fignumbers.values():
        if "exercise" in numbers:
            numbers["exercise"] = {label: (place,) for place, label in enumerate(numbers["exercise"], 1)}


def visit_exercise(self, node):
    """An exercise: its number, and its name without brackets."""
    title = next(iter(node.findall(nodes.title)), None)
    if title and len(title) > 2 and title[0].astext() == " (":
        title.pop(0)
        title.pop()
    for content in node.findall(nodes.section):
        content["ids"] = []
    visit_fold(self, node)


def visit_fold(self, node):
    """An admonition, an exercise or a solution: a <details> when it is folded, else a <div>."""
    kept = [name for name in node["classes"] if name != "dropdown"]
    ids = f' id="{html.escape(node["ids"][0])}"' if node["ids"] else ""
    if not folded(node):
        self.body.append(f'<div class="{" ".join(["aside", *kept])}"{ids}>\n')
        return
    title = next(iter(node.findall(nodes.title)), None)
    self.body.append(f'<details class="{" ".join(["aside", *kept])}"{ids}><summary>')
    self.body.append(html.escape(title.astext() if title else "More") + "</summary>\n")
    if title:
        title.parent.remove(title)


def depart_fold(self, node):
    """Close what `visit_fold` opened."""
    self.body.append("</details>\n" if folded(node) else "</div>\n")


class Writer(HTML5Translator):
    """Sphinx's HTML with real sizes on pictures, focusable scrollers and folds that need no script."""

    def visit_admonition(self, node, name=""):
        """Note, warning and the like: their usual title, our box."""
        if name:
            node.insert(0, nodes.title(name, name.capitalize()))
        node["classes"] = [*node["classes"], *([name] if name else [])]
        visit_fold(self, node)

    def depart_admonition(self, node=None):
        """Close the box."""
        depart_fold(self, node)

    def visit_literal(self, node):
        """Code in a line, kept on it when it is short."""
        if whole(node.astext()):
            node["classes"].append("whole")
        super().visit_literal(node)

    def visit_table(self, node):
        """A table inside a box that scrolls."""
        self.body.append('<div class="scrolls">')
        super().visit_table(node)

    def depart_table(self, node):
        """Close table and box."""
        super().depart_table(node)
        self.body.append("</div>\n")

    def visit_image(self, node):
        """A picture with its size, so that the page does not move when it arrives."""
        path = Path(self.builder.srcdir) / node["uri"].lstrip("/")
        natural = shown_size(path)
        width, height = (node.get(side, "").removesuffix("px") for side in ("width", "height"))
        if natural and not (width.isdigit() and height.isdigit()):
            width = width if width.isdigit() else str(natural[0])
            height = str(round(natural[1] * int(width) / natural[0]))
        target = self.builder.images.get(node["uri"], node["uri"])
        root = self.builder.imgpath
        attributes = {"src": f"{root}/{target}", "alt": node.get("alt", ""), "loading": "lazy", "decoding": "async"}
        if width and height:
            attributes |= {"width": width, "height": height}
        if node["classes"]:
            attributes["class"] = " ".join(node["classes"])
        written = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items())
        self.body.append(f"<img {written}>\n")

    def depart_image(self, node):
        """Nothing is open."""


def setup(app):
    """Register the writer; solutions and exercises follow it."""
    from sphinx_exercise import nodes as exercise

    app.set_translator("html", Writer)
    app.add_directive("margin", Margin)
    app.add_post_transform(Joined)
    for kind in (exercise.exercise_node, exercise.exercise_enumerable_node, exercise.solution_node):
        app.add_node(kind, override=True, html=(visit_exercise, depart_fold))
    app.connect("env-check-consistency", number)
