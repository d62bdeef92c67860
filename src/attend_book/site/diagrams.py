"""Diagrams: an SVG file beside a page's text, shown as a Markdown image, stands in the page itself.

So it follows the page's colours: `currentColor` and the theme's variables mean on paper and in the dark what they mean
for text. In a notebook it is an image like others. A file holds shapes and text, nothing that runs or asks elsewhere.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

DRAWN = {"svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "use"}
SHAPES = DRAWN | {"title", "desc", "defs", "marker", "clipPath", "linearGradient", "radialGradient", "stop"}
ALONE = {"style", "metadata"}  # for the file on its own: Jupyter and GitHub show it so
NARROW, LEGIBLE = 328, 9  # the text's width on a phone of 360 px, and the smallest letters there, in px


def inlined(path, alt):
    """The diagram in the file as HTML. Raises ExtensionError for what may not stand in a page."""

    def refuse(why):
        raise ExtensionError(f"{path.name}: {why}")

    try:
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    except ElementTree.ParseError as error:
        refuse(f"is no SVG: {error}")
    box = [float(number) for number in re.findall(r"[-\d.]+", root.get("viewBox", ""))]
    if len(box) != 4:
        refuse("has no viewBox")
    if not alt:
        refuse("has no alt text: ![what it shows](file.svg)")
    for parent in list(root.iter()):
        for child in list(parent):
            if _bare(child.tag) in ALONE:
                parent.remove(child)
    for node in root.iter():
        node.tag = _bare(node.tag)
        if node.tag not in SHAPES:
            refuse(f"<{node.tag}> may not stand in a page")
        for name, value in list(node.attrib.items()):
            key = _bare(name)
            if key.startswith("on") or key == "style" or re.search(r"url\((?!#)|:\s*//|javascript:", value):
                refuse(f'{key}="{value}" may not stand in a page')
            if key == "href" and not value.startswith("#"):
                refuse(f"it asks for {value}")
            del node.attrib[name]
            node.attrib[key] = _own(key, value, path.stem)
    letters = [float(size) for node in root.iter() if (size := re.sub(r"[^\d.]", "", node.get("font-size", "")))]
    if letters and (size := min(letters) * min(1, NARROW / box[2])) < LEGIBLE:
        refuse(f"letters of {size:.1f} px on a phone, at least {LEGIBLE}")
    root.attrib |= {
        "class": "diagram",
        "role": "img",
        "aria-label": alt,
        "width": f"{box[2]:g}",
        "height": f"{box[3]:g}",
    }
    return ElementTree.tostring(root, encoding="unicode", method="html")


def _bare(name):
    return name.rpartition("}")[2]


def _own(key, value, stem):
    """The value with its names made the diagram's own, so that two diagrams of a page share none."""
    if key == "id":
        return f"{stem}-{value}"
    return re.sub(r"(?<=url\()#|^#" if key == "href" else r"(?<=url\()#", f"#{stem}-", value)


class Inline(SphinxPostTransform):
    """Put the diagrams of a page in the place of its images."""

    default_priority = 5
    formats = ("html",)

    def run(self, **_):
        """Replace each image that is a file of its own with the ending .svg."""
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir) / image["uri"]
            if path.suffix == ".svg" and path.is_file():
                image.replace_self(nodes.raw("", inlined(path, image.get("alt", "")), format="html"))


def setup(app):
    """Register the transform."""
    app.add_post_transform(Inline)
