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

from attend_book.site import markup

ALONE = {"style", "metadata", "title", "desc"}  # for the file on its own; in a page the image's alt text speaks
NARROW, LEGIBLE = 328, 9  # the text's width on a phone of 360 px, and the smallest letters there, in px


def inlined(path, alt):
    """The diagram in the file as HTML. Raises ExtensionError for what may not stand in a page."""
    try:
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise ExtensionError(f"{path.name}: is no SVG: {error}") from error
    for parent in list(root.iter()):
        for child in [child for child in parent if bare(child.tag) in ALONE]:
            parent.remove(child)
    for node in root.iter():
        node.tag = bare(node.tag)
        node.attrib = {bare(name): own(bare(name), value, path.stem) for name, value in node.attrib.items()}
    _, _, width, height = box = root.get("viewBox", "").split() or [""] * 4
    root.attrib |= {"class": "diagram", "role": "img", "aria-label": alt, "width": width, "height": height}
    drawn = ElementTree.tostring(root, encoding="unicode", method="html")
    faults = [f"may not hold {fault}" for fault in markup.faults(drawn)]
    faults += ["has no viewBox"] * (not all(box)) + ["has no alt text: ![what it shows](file.svg)"] * (not alt)
    letters = [float(size) for node in root.iter() if (size := node.get("font-size", "").removesuffix("px"))]
    if all(box) and letters and (size := min(letters) * min(1, NARROW / float(width))) < LEGIBLE:
        faults.append(f"has letters of {size:.1f} px on a phone, at least {LEGIBLE}")
    if faults:
        raise ExtensionError(f"{path.name}: {'; '.join(faults)}")
    return drawn


def bare(name):
    """A name of XML without its namespace."""
    return name.rpartition("}")[2]


def own(key, value, stem):
    """The value with its names made the diagram's own, so that two diagrams of a page share none."""
    if key == "id":
        return f"{stem}-{value}"
    return re.sub(r"^#" if key == "href" else r"(?<=url\()#", f"#{stem}-", value)


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
