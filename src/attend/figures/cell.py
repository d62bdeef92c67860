"""One cell through time: what is kept as a line, what is shown as bars, one panel for each way to set the gates."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas


@checked
def cells(panels: Mapping[str, tuple[Tensor, Tensor]]) -> None:
    """Two panels a row; `panels` holds by name the cell (T) and the shown summary (T), from step 1 on.

    Raises ValueError for fewer than two panels, and unless both have the same number of finite values.
    """
    expect(len(panels) > 1, "panels", panels, "at least two panels")
    for name, pair in panels.items():
        fits = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, Tensor) for part in pair)
        fits = fits and pair[0].ndim == 1 and pair[0].shape == pair[1].shape and len(pair[0]) > 0
        fits = fits and all(bool(part.isfinite().all()) for part in pair)
        expect(fits, f"panels[{name!r}]", pair, "two tensors of the same T finite numbers")
    rows = (len(panels) + 1) // 2
    with canvas(rows, 2, height=0.5 + 1.25 * rows, sharex=True, sharey=True, squeeze=False) as (_, grid):
        for axes, (name, (cell, shown)) in zip(grid.flat, panels.items(), strict=False):
            steps = np.arange(1, len(cell) + 1)
            axes.axhline(0, color=PALETTE["line"], lw=0.8)
            axes.bar(steps, shown.numpy(), width=0.8, color=PALETTE["summary"], alpha=0.45)
            axes.plot(steps, cell.numpy(), color=PALETTE["summary"])
            axes.annotate(
                name, (0.02, 1.02), xycoords="axes fraction", va="bottom", color=PALETTE["gate"], fontsize=9.5
            )
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel("step")
        for axes in grid[:, 0]:
            axes.set_ylabel("cell, shown")
