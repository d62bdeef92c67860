"""Clocks and waves: when groups tick, what they may hear, waves beside the one wanted, and what each group adds."""

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line

Numbers = Sequence | np.ndarray | Tensor
"""Values in a list, an array or a tensor."""


@checked
def ticking(ticks: Numbers, reach: Numbers, periods: Sequence[int]) -> None:
    """Left, a dot for each group and step at which it ticks; right, which group may hear which.

    `ticks` is (T, G), `reach` (G, G) with the listener first, and `periods` holds the G periods. Raises ValueError
    for shapes that do not fit.
    """
    ticks, reach, G = np.asarray(ticks, dtype=bool), np.asarray(reach, dtype=bool), len(periods)
    expect(G > 0, "periods", periods, "at least one period")
    expect(ticks.ndim == 2 and ticks.shape[1] == G and len(ticks) > 0, "ticks", ticks, f"a table of shape (T, {G})")
    expect(reach.shape == (G, G), "reach", reach, f"a table of shape ({G}, {G})")
    with canvas(1, 2, height=2.5, width_ratios=(1.9, 1)) as (_, (when, who)):
        for group in range(G):
            when.plot([0, len(ticks) - 1], [group] * 2, color=PALETTE["line"], lw=1, zorder=0)
            steps = np.flatnonzero(ticks[:, group])
            when.plot(steps, np.full(len(steps), group), "o", color=PALETTE["summary"], ms=6)
        when.set(xlabel="step t", ylabel="period of the group", ylim=(-0.6, G - 0.4))
        listeners, heard = np.nonzero(reach)
        who.scatter(heard, listeners, marker="s", s=130, color=PALETTE["summary"])
        who.set(xlabel="period of the group heard", xlim=(-0.6, G - 0.4), ylim=(-0.6, G - 0.4), xticks=range(G))
        who.set(ylabel="listener", xticklabels=periods)
        for axes in (when, who):
            axes.set_yticks(range(G), labels=periods)


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


@checked
def parts(periods: Sequence[int], said: Numbers, stopped: Numbers) -> None:
    """For each group, how much of the wave it says itself, and the error when its clock never ticks.

    `said` and `stopped` are (seeds, G): a dot for each seed, a line through their means. Raises ValueError for
    shapes that do not fit.
    """
    said, stopped, G = np.asarray(said, dtype=float), np.asarray(stopped, dtype=float), len(periods)
    expect(G > 0, "periods", periods, "at least one period")
    for name, values in (("said", said), ("stopped", stopped)):
        fits = values.ndim == 2 and values.size > 0 and values.shape == (len(said), G)
        expect(fits and bool(np.isfinite(values).all()), name, values, f"a finite table of shape (seeds, {G})")
    with canvas(1, 2, height=2.5, sharex=True) as (_, (left, right)):
        for axes, values, kind in ((left, said, "summary"), (right, stopped, "error")):
            axes.plot(range(G), values.mean(axis=0), color=PALETTE[kind])
            axes.plot(np.tile(range(G), (len(values), 1)), values, "o", color=PALETTE[kind], ms=4, alpha=0.6)
            axes.set(xlabel="period of the group", ylim=(0, None))
            axes.set_xticks(range(0, G, 2), labels=periods[::2])
        left.set(ylabel="spread of what it says")
        right.set(ylabel="error without its clock")
