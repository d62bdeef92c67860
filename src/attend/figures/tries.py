"""Samples around a mean: where each of them would move it, and what a baseline does to the spread of estimates."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line


@checked
def pulls(
    samples: np.ndarray,
    mean: np.ndarray,
    moves: Mapping[str, np.ndarray],
    exact: np.ndarray,
    bottom: np.ndarray,
) -> None:
    """A panel for each name of `moves`: how each of N samples (N, 2) would move the mean (2), as (N, 2) arrows.

    All arrows begin at the mean, a ring. Thick is the mean of a panel's arrows, a diamond stands where the `exact`
    move (2) ends, and wide rings around `bottom` (2) are lines of equal height. An arrow away from its sample has the
    colour of an error, one towards it that of attention. Raises ValueError for other shapes, and for no panel.
    """
    expect(len(moves) > 0, "moves", moves, "at least one panel")
    _finite("samples", samples, (len(samples), 2))
    for name, place in {"mean": mean, "exact": exact, "bottom": bottom}.items():
        _finite(name, place, (2,))
    with canvas(1, len(moves), height=3.0, sharex=True, sharey=True, squeeze=False) as (_, axes):
        for panel, (name, arrows) in zip(axes[0], moves.items(), strict=True):
            _finite(f"moves[{name!r}]", arrows, samples.shape)
            _ground(panel, bottom)
            for sample, arrow in zip(samples, arrows, strict=True):
                away = float((sample - mean) @ arrow) < 0
                _arrow(panel, mean, arrow, "error" if away else "attention", 1.2)
            panel.plot(*samples.T, "o", ms=4.5, color=PALETTE["attention"], zorder=3)
            _arrow(panel, mean, arrows.mean(axis=0), "ink", 2.4)
            panel.plot(*mean, "o", ms=6, mfc="none", mec=PALETTE["ink"], mew=1.4, zorder=4)
            panel.plot(*(mean + exact), "D", ms=8, mfc="none", mec=PALETTE["ink"], mew=1.4, zorder=5)
            panel.annotate(name, (0, 1.03), xycoords="axes fraction", color=PALETTE["quiet"])
            panel.set_xlabel("first axis")
            panel.set_aspect("equal")
        shown = np.concatenate([samples, bottom[None], *(mean + arrows for arrows in moves.values())])
        low, high = shown.min(axis=0), shown.max(axis=0)
        (x, y), reach = (low + high) / 2, float((high - low).max()) / 2 + 0.2
        axes[0][0].set(xlim=(x - reach, x + reach), ylim=(y - reach, y + reach), ylabel="second axis")


@checked
def blurred(
    x: Sequence[float],
    f: Sequence[float],
    means: Mapping[str, Sequence[float]],
) -> None:
    """A cost f over the place x that is met, and its mean over throws that are aimed at x: one line for each width.

    `means` is {name: values}; at most two. Each line is named at its lowest place. Raises ValueError for places that do
    not grow, for lines longer or shorter than `x`, and for more than two means.
    """
    places = np.asarray(x, dtype=float)
    expect(len(places) > 1 and bool((np.diff(places) > 0).all()), "x", x, "at least two places that grow")
    expect(len(means) <= 2, "means", list(means), "at most two lines")
    lines = {"f": np.asarray(f, dtype=float)} | {
        name: np.asarray(values, dtype=float) for name, values in means.items()
    }
    looks = (("error", "-"), ("ink", "-"), ("quiet", "--"))
    with canvas(height=2.4) as (_, axes):
        for (name, values), (kind, dashes) in zip(lines.items(), looks, strict=False):
            _finite("f" if name == "f" else f"means[{name!r}]", values, places.shape)
            axes.plot(places, values, color=PALETTE[kind], ls=dashes)
            lowest = float(places[values == values.min()].mean())
            up = 5 if name == "f" else -14
            axes.annotate(
                name, (lowest, values.min()), (0, up), textcoords="offset points", ha="center", color=PALETTE[kind]
            )
        axes.set(xlabel="place x; for the means, the middle μ of the throw", ylabel="cost")


@checked
def valley(
    b: Sequence[float],
    variance: Sequence[float],
    marks: Mapping[str, float],
    level: tuple[str, float],
) -> None:
    """The variance of an estimate over its baseline b, with named marks on the curve, and a rival's variance as a line.

    `marks` are places among `b`; `level` is (name, variance). Raises ValueError for a curve of fewer than two places,
    for places that do not grow, and for marks outside of them.
    """
    places, heights = np.asarray(b, dtype=float), np.asarray(variance, dtype=float)
    expect(len(places) > 1 and bool((np.diff(places) > 0).all()), "b", b, "at least two places that grow")
    _finite("variance", heights, places.shape)
    with canvas(height=2.7) as (_, axes):
        axes.plot(places, heights, color=PALETTE["attention"])
        for name, at in marks.items():
            expect(places[0] <= at <= places[-1], f"marks[{name!r}]", at, f"a place from {b[0]:g} to {b[-1]:g}")
            height = float(np.interp(at, places, heights))
            axes.plot(at, height, "o", ms=7, color=PALETTE["attention"])
            above = {"xytext": (0, 15), "textcoords": "offset points", "ha": "center"}
            axes.annotate(name, (at, height), color=PALETTE["ink"], **above)
        name, height = level
        expect(bool(np.isfinite(height)), "level", level, "a name and a finite variance")
        axes.plot(places, np.full(len(places), height), color=PALETTE["rival"], ls="--")
        name_line(axes, float(places[-1]), float(height), name, "rival")
        axes.set(xlabel="baseline b", ylabel="variance of one estimate", ylim=(0, 1.2 * float(heights.max())))
        axes.set_xlim(right=float(places[-1]))  # the axis ends where the name of the level begins


def _ground(panel: Axes, bottom: np.ndarray) -> None:
    """Rings around the bottom, and the bottom."""
    turn = np.linspace(0, 2 * np.pi, 80)
    for radius in np.arange(0.5, 9, 0.5):
        ring = bottom + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        panel.plot(*ring.T, color=PALETTE["line"], lw=0.7, zorder=0)
    panel.plot(*bottom, "+", color=PALETTE["error"], ms=9, mew=2)


def _arrow(panel: Axes, start: np.ndarray, by: np.ndarray, kind: str, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": PALETTE[kind], "lw": width, "mutation_scale": 5 + 2 * width}
    panel.annotate("", start + by, xytext=start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})


def _finite(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    fits = values.shape == shape and values.size > 0 and bool(np.isfinite(values).all())
    expect(fits, name, values, f"finite numbers of shape {shape}")
