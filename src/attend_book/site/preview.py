"""The picture that stands beside a link to the course elsewhere: README's picture at rest, and what the course is.

`make stills` photographs it anew when the card changed; the picture itself says of which card it was made.
"""

import base64
import hashlib
from io import BytesIO

from attend_book import ROOT

ASSETS = ROOT / "book" / "_assets"
PICTURE = ASSETS / "preview.png"
WIDTH, HEIGHT = 1200, 630
TITLE = "Memory and attention in deep learning"
SAYS = "An open course whose every page runs, whose every claim is measured, and whose figures compute in your browser."
ALT = f"{TITLE}. {SAYS} Beside it, ten coin flips and the walk of their summary."
CARD = """<!DOCTYPE html><meta charset="utf-8"><style>
@font-face {{ font-family: Card; src: url(data:font/woff2;base64,{roman}) }}
@font-face {{ font-family: Card; font-style: italic; src: url(data:font/woff2;base64,{italic}) }}
@font-face {{ font-family: Card; font-weight: 600; src: url(data:font/woff2;base64,{bold}) }}
body {{ align-items: center; background: #fdfdfb; color: #222; display: flex; font: 27px/1.45 Card; gap: 50px;
        height: 630px; margin: 0; padding: 0 56px 0 72px; box-sizing: border-box }}
div {{ flex: 1 }}
em {{ color: #1d5d94; font-size: 36px }}
h1 {{ font-size: 58px; font-weight: 600; letter-spacing: -.012em; line-height: 1.12; margin: 18px 0 26px }}
p {{ color: #5c5c58; margin: 0 }}
svg {{ width: 560px; height: auto }}
svg text {{ font-family: Card !important }}
</style><div><em>Attend</em><h1>{title}</h1><p>{says}</p></div>{picture}"""


def card():
    """The card as one page of HTML that needs nothing else."""
    faces = {"roman": "serif", "italic": "serif-italic", "bold": "serif-semibold"}
    fonts = {
        face: base64.b64encode((ASSETS / "fonts" / f"{name}.woff2").read_bytes()).decode()
        for face, name in faces.items()
    }
    picture = (ASSETS / "readme-light-still.svg").read_text(encoding="utf-8")
    return CARD.format(title=TITLE, says=SAYS, picture=picture, **fonts)


def digest():
    """What the picture depends on."""
    return hashlib.sha256(card().encode()).hexdigest()[:16]


def fresh():
    """True when the picture shows the card as it is."""
    from PIL import Image

    if not PICTURE.is_file():
        return False
    with Image.open(PICTURE) as picture:
        return picture.info.get("card") == digest()


def take(browser):
    """Photograph the card."""
    from PIL import Image, PngImagePlugin

    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_content(card())
    page.evaluate("document.fonts.ready.then(() => null)")
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.close()
    note = PngImagePlugin.PngInfo()
    note.add_text("card", digest())
    picture.quantize(64, method=Image.Quantize.MEDIANCUT).save(PICTURE, "PNG", optimize=True, pnginfo=note)
    print(f"preview: {WIDTH} by {HEIGHT}, {PICTURE.stat().st_size / 1000:.0f} kB", flush=True)
