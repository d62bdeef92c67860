"""An error surface of two weights, and the ways that training took on it."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink
from attend.figures.style import PALETTE, canvas

Extent = tuple[float, float, float, float]


@checked
def surface(
    losses: Float[Tensor, "Y X"],
    extent: Extent,
    paths: Mapping[str, tuple[Sequence[Sequence[float]], str]],
    *,
    x_name: str,
    y_name: str,
) -> None:
    """Draw `losses` as shades, dark where they are large, and over them `paths`, {name: (points, kind)}.

    `extent` is where the surface lies: left, right, bottom, top; row 0 lies at the bottom. A path's name stands where
    it leaves the surface, or ends. Raises ValueError for losses that are all 0 and for a path without points on it.
    """
    left, right, bottom, top = extent
    expect(bool((losses > 0).any()), "losses", losses, "losses above 0")
    with canvas(height=3.4) as (_, axes):
        shades = (12 * losses / losses.max()).round() / 12  # few of them, so that the picture stays small
        axes.imshow(ink(0.55 * shades, "rival"), extent=extent, origin="lower", aspect="auto")
        for name, (points, kind) in paths.items():
            expect(kind in PALETTE, f"paths[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            inside = [(x, y) for x, y in points if left <= x <= right and bottom <= y <= top]
            expect(len(inside) > 0, f"paths[{name!r}]", points, "points of which one lies on the surface")
            axes.plot(*zip(*points, strict=True), color=PALETTE[kind], marker="o", ms=3, lw=1.2)
            last = len(inside) - 1 if len(inside) < len(points) else None
            place = inside[-1] if last is None else _border(inside[last], points[last + 1], extent)
            up = 12 if last is None else -6
            axes.annotate(
                name,
                place,
                xytext=(6, up),
                textcoords="offset points",
                va="top" if up < 0 else "bottom",
                color=PALETTE[kind],
            )
        axes.set(xlabel=x_name, ylabel=y_name, xlim=(left, right), ylim=(bottom, top))


def _border(here: Sequence[float], there: Sequence[float], extent: Extent) -> tuple[float, float]:
    """Where the way from a point on the surface to one beyond it crosses the border."""
    shares = [1.0]
    for axis, (low, high) in enumerate((extent[:2], extent[2:])):
        step = there[axis] - here[axis]
        if step:
            shares.append(((high if step > 0 else low) - here[axis]) / step)
    share = min(shares)
    return here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])
