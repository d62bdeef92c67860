"""Lines over one axis: values by step, by lag, by epoch. Each line is named where it ends."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import MaxNLocator

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line


@checked
def curves(
    lines: Mapping[str, tuple[Sequence[float], str]],
    *,
    x: Sequence[float] | None = None,
    x_name: str,
    y_name: str,
    log: str = "",
    height: float = 2.6,
    y_range: tuple[float, float] | None = None,
) -> None:
    """Draw `lines`, {name: (values, kind)}, where `kind` is a colour's name in the palette.

    `x` holds the places of the values (default 1, 2, …); `x_name` and `y_name` say what the axes are, with units;
    `log` is "", "x", "y" or "xy". Raises ValueError when a line is empty, or is longer or shorter than `x`.
    """
    expect(len(lines) > 0, "lines", lines, "at least one line")
    expect(log in ("", "x", "y", "xy"), "log", log, "one of '', 'x', 'y', 'xy'")
    with canvas(height=height) as (_, axes):
        for name, (values, kind) in lines.items():
            places = np.arange(1, len(values) + 1) if x is None else np.asarray(x)
            expect(len(values) == len(places) > 0, f"lines[{name!r}]", len(values), f"{max(len(places), 1)} values")
            expect(kind in PALETTE, f"lines[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            expect(bool(np.isfinite(values).all()), f"lines[{name!r}]", values, "finite values")
            axes.plot(places, values, color=PALETTE[kind], ls="--" if kind == "rival" else "-")
            name_line(axes, float(places[-1]), float(values[-1]), name, kind)
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.set(**({"xscale": "log"} if "x" in log else {}), **({"yscale": "log"} if "y" in log else {}))
        if "x" not in log and all(float(place).is_integer() for place in places):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if y_range:
            axes.set_ylim(*y_range)
