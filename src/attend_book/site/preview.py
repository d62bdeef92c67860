"""The picture that stands beside a link to the course elsewhere: the card of book/_assets with README's picture.

`make stills` photographs it anew when one of the two changed; the photograph itself says of what it was made.
"""

import hashlib
from io import BytesIO

from PIL import Image, PngImagePlugin

from attend_book import ROOT

ASSETS = ROOT / "book" / "_assets"
CARD, DRAWING, PICTURE = (ASSETS / name for name in ("card.html", "readme.svg", "preview.png"))
SIZE = {"width": 1200, "height": 630}


def digest():
    """What the picture depends on."""
    return hashlib.sha256(CARD.read_bytes() + DRAWING.read_bytes()).hexdigest()[:16]


def fresh():
    """True when the picture shows the card as it is."""
    with Image.open(PICTURE) as picture:
        return picture.info.get("card") == digest()


def take(browser):
    """Photograph the card."""
    page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    page.goto(CARD.as_uri())
    page.evaluate("svg => document.body.insertAdjacentHTML('beforeend', svg)", DRAWING.read_text(encoding="utf-8"))
    page.evaluate("document.fonts.ready.then(() => null)")
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.close()
    note = PngImagePlugin.PngInfo()
    note.add_text("card", digest())
    picture.quantize(64, method=Image.Quantize.MEDIANCUT).save(PICTURE, "PNG", optimize=True, pnginfo=note)
