"""Pictures of a page made light: a palette of at most 128 colours, which their few inks do not exceed visibly."""

import base64
import io

from PIL import Image

from attend_book import Refused

COLOURS = 128


def light(png):
    """The same PNG (base64 text) with a palette, its resolution kept; one that has a palette is left as it is."""
    try:
        picture = Image.open(io.BytesIO(base64.b64decode(png)))
    except (ValueError, OSError) as error:
        raise Refused(f"a picture is no PNG: {png[:60]}") from error
    if picture.mode == "P":
        return png
    small = picture.convert("RGBA").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    out = io.BytesIO()
    small.save(out, "PNG", optimize=True, **({"dpi": picture.info["dpi"]} if "dpi" in picture.info else {}))
    return base64.b64encode(out.getvalue()).decode() if out.tell() < len(png) * 3 // 4 else png
