"""Waves beside the one that was wanted."""

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line

Numbers = Sequence | np.ndarray | Tensor
"""Values in a list, an array or a tensor."""


@checked
def waves(
    wanted: Numbers,
    made: Mapping[str, tuple[Numbers, str]],
    *,
    x_name: str,
    y_name: str,
    wanted_name: str,
    x: Numbers | None = None,
) -> None:
    """A panel for each entry of `made`, {name: (values, kind)}, each over the dashed wave that was wanted.

    `x` holds the places of the values (default 0, 1, …). Raises ValueError for values of another length.
    """
    wanted = np.asarray(wanted, dtype=float)
    places = np.arange(len(wanted)) if x is None else np.asarray(x)
    expect(wanted.ndim == 1 and len(wanted) > 0 and bool(np.isfinite(wanted).all()), "wanted", wanted, "finite values")
    expect(places.shape == wanted.shape, "x", places, f"{len(wanted)} places")
    expect(len(made) > 0, "made", made, "at least one wave")
    with canvas(len(made), 1, height=0.5 + 1.2 * len(made), sharex=True, sharey=True, squeeze=False) as (_, rows):
        for axes, (name, (values, kind)) in zip(rows[:, 0], made.items(), strict=True):
            fits = len(values) == len(wanted) and bool(np.isfinite(np.asarray(values)).all())
            expect(fits, f"made[{name!r}]", values, f"{len(wanted)} finite values")
            axes.plot(places, wanted, color=PALETTE["ink"], ls=(0, (3, 2)), lw=1)
            axes.plot(places, values, color=PALETTE[kind], lw=1.5)
            name_line(axes, float(places[-1]), float(values[-1]), name, kind)
            axes.set(ylabel=y_name)
        rows[0, 0].text(0.01, 0.99, wanted_name, transform=rows[0, 0].transAxes, color=PALETTE["ink"], va="bottom")
        rows[-1, 0].set(xlabel=x_name)
