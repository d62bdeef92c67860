"""Images on transparent paper: the more ink a pixel holds, the fuller its colour; the page shows through the rest."""

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE

Extent = tuple[float, float, float, float]


@checked
def ink(image: Float[Tensor, "Y X"], kind: str) -> np.ndarray:
    """The pixels (Y, X, RGBA) of an image: 1 is the full colour `kind`, 0 is nothing, −1 the full colour of errors.

    What lies beyond −1 and 1 is full, too. Raises ValueError for a colour that is not in the palette.
    """
    expect(kind in PALETTE, "kind", kind, f"one of {', '.join(PALETTE)}")
    values = image.detach().double().numpy()
    pixels = np.empty((*values.shape, 4))
    pixels[..., :3] = np.where(values[..., None] >= 0, to_rgb(PALETTE[kind]), to_rgb(PALETTE["error"]))
    pixels[..., 3] = np.clip(np.abs(values), 0, 1)
    return pixels


@checked
def lay(axes: Axes, pixels: np.ndarray, extent: Extent | None = None) -> None:
    """Lay pixels (Y, X, RGBA) on axes, square as they are, without ticks and in a thin frame.

    `extent` is where they lie: left, right, bottom, top; left out, a pixel is one wide and its middle a whole number.
    Raises ValueError for pixels of another shape.
    """
    expect(pixels.ndim == 3 and pixels.shape[-1] == 4, "pixels", pixels.shape, "rows, columns and the 4 of RGBA")
    axes.imshow(pixels, interpolation="nearest", extent=extent)
    axes.set(xticks=(), yticks=())
    for spine in axes.spines.values():
        spine.set(visible=True, color=PALETTE["line"], linewidth=0.6)
