"""Points in a plane with named axes, and levels across them."""

from collections.abc import Mapping

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line


@checked
def scatter(
    x: Float[Tensor, "N"],
    y: Float[Tensor, "N"],
    *,
    x_name: str,
    y_name: str,
    levels: Mapping[str, tuple[float, str]] | None = None,
    height: float = 3.2,
) -> None:
    """Draw points, and levels {name: (height on the y axis, a colour's name in the palette)} as dashed lines.

    `x_name` and `y_name` say what the axes are, with units. Raises ValueError where there is no point.
    """
    expect(len(x) > 0, "x", x, "at least one point")
    with canvas(height=height) as (_, axes):
        axes.plot(x.numpy(), y.numpy(), "o", ms=4, alpha=0.45, mew=0, color=PALETTE["summary"])
        for name, (level, kind) in (levels or {}).items():
            expect(kind in PALETTE, f"levels[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            axes.axhline(level, color=PALETTE[kind], ls="--", lw=1.2)
            name_line(axes, float(x.max()), level, name, kind)
        axes.set(xlabel=x_name, ylabel=y_name)
