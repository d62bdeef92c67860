"""Hidden states of two numbers as points in a plane: what one step does to them, and where many steps lead."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas


@checked
def stages(before: np.ndarray, linear: np.ndarray, after: np.ndarray) -> None:
    """One step in two stages, side by side: states (N, 2), the same after the linear part, and after tanh.

    Each point keeps its shade from panel to panel: light on the left of the first panel, dark on its right. The dashed
    square is where all states live, from -1 to 1.
    """
    panels = {"before": before, "linear": linear, "after": after}
    for name, points in panels.items():
        _pairs(name, points, len(before))
    reach = 1.08 * max(1.0, float(np.abs(np.concatenate(list(panels.values()))).max()))
    names = ("before", "after the linear part", "after tanh")
    with canvas(1, 3, height=2.5, sharex=True, sharey=True) as (_, axes):
        for panel, points, name in zip(axes, panels.values(), names, strict=True):
            _square(panel, reach)
            panel.scatter(*points.T, c=before[:, 0], cmap="Blues", vmin=-2.2, vmax=1.2, s=9, linewidths=0)
            panel.annotate(name, (0, 1.03), xycoords="axes fraction", color=PALETTE["quiet"])
            panel.set_xlabel("first number")
        axes[0].set_ylabel("second number")


@checked
def journeys(paths: Mapping[str, np.ndarray]) -> None:
    """Where repeated updates lead: for each name a panel with paths (N, T, 2), each from a ring to a filled dot."""
    expect(len(paths) > 0, "paths", paths, "at least one panel")
    for name, series in paths.items():
        fits = isinstance(series, np.ndarray) and series.ndim == 3 and series.shape[2] == 2 and series.size > 0
        expect(
            fits and bool(np.isfinite(series).all()), f"paths[{name!r}]", series, "finite numbers of shape (N, T, 2)"
        )
    with canvas(1, len(paths), height=2.75, sharex=True, sharey=True, squeeze=False) as (_, axes):
        for panel, (name, series) in zip(axes[0], paths.items(), strict=True):
            _square(panel, 1.1)
            for path in series:
                panel.plot(*path.T, color=PALETTE["summary"], lw=0.8, alpha=0.6)
                panel.plot(*path[0], "o", ms=3.5, mfc="none", color=PALETTE["rival"])
                panel.plot(*path[-1], "o", ms=5, color=PALETTE["summary"])
            panel.annotate(name, (0, 1.03), xycoords="axes fraction", color=PALETTE["quiet"])
            panel.set_xlabel("first number")
        axes[0][0].set_ylabel("second number")


@checked
def groups(panels: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """For each name a panel with points (N, 2) and their groups (N), small whole numbers, each in a shade of its own.

    The number of a group stands at the mean of its points.
    """
    expect(len(panels) > 0, "panels", panels, "at least one panel")
    with canvas(1, len(panels), height=2.75, squeeze=False) as (_, axes):
        for panel, (name, (points, numbers)) in zip(axes[0], panels.items(), strict=True):
            _pairs(f"panels[{name!r}]", points, len(numbers))
            panel.scatter(*points.T, c=numbers, cmap="Blues", vmin=-2, vmax=numbers.max() + 1, s=9, linewidths=0)
            for number in np.unique(numbers):
                middle = points[numbers == number].mean(axis=0)
                above = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
                panel.annotate(f"{number:.0f}", middle, weight="bold", color=PALETTE["input"], **above)
            panel.annotate(name, (0, 1.03), xycoords="axes fraction", color=PALETTE["quiet"])
            panel.margins(0.12)
            panel.set_aspect("equal", adjustable="datalim")
            panel.set(xlabel="first direction", xticks=[], yticks=[])
        axes[0][0].set_ylabel("second direction")


def _pairs(name: str, points: np.ndarray, count: int) -> None:
    fits = points.shape == (count, 2) and count > 0 and bool(np.isfinite(points).all())
    expect(fits, name, points, f"finite numbers of shape ({max(count, 1)}, 2)")


def _square(panel: Axes, reach: float) -> None:
    panel.plot([-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1], color=PALETTE["line"], ls="--", lw=1)
    panel.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
