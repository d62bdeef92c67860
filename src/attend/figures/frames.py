"""A recording over time: how loud each band of frequency is, and below it what a recogniser thinks of each moment."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import PositiveFloat
from attend.figures.ink import ink
from attend.figures.style import PALETTE, canvas, name_line


@checked
def spectrogram(x: Float[Tensor, "T N"], seconds: PositiveFloat) -> None:
    """A recording (T frames, N bands), from -1 to 1, `seconds` from one frame to the next; darker where louder."""
    with canvas(height=1.9) as (_, axes):
        _bands(axes, x, seconds)
        axes.set_xlabel("seconds")


@checked
def posteriors(
    x: Float[Tensor, "T N"],
    panels: Mapping[str, Float[Tensor, "S V"]],
    names: Mapping[int, tuple[str, str]],
    seconds: PositiveFloat,
) -> None:
    """The recording, and below it a panel for each of `panels`: probabilities (S, V) of the tokens over the same time.

    `names` says which tokens are drawn, {token: (name, kind)}, `kind` a colour of the palette. Raises ValueError for
    no panel, for a token that there is not, and for values that are no probabilities.
    """
    expect(len(panels) > 0, "panels", panels, "at least one panel")
    for title, probs in panels.items():
        fits = bool(((probs >= 0) & (probs <= 1.0001)).all())
        expect(fits, f"panels[{title!r}]", probs, "probabilities")
        expect(set(names) <= set(range(probs.shape[1])), "names", names, f"tokens from 0 to {probs.shape[1] - 1}")
    length = len(x) * seconds
    with canvas(1 + len(panels), 1, height=1.3 + 1.35 * len(panels), sharex=True) as (_, axes):
        _bands(axes[0], x, seconds)
        for axis, (title, probs) in zip(axes[1:], panels.items(), strict=True):
            places = (np.arange(len(probs)) + 0.5) * length / len(probs)
            for token, (name, kind) in names.items():
                values = probs[:, token].numpy()
                axis.plot(places, values, color=PALETTE[kind], lw=1.6, ls="--" if kind == "rival" else "-")
                high = int(values.argmax())
                if values[high] > 0.2:
                    name_line(axis, float(places[high]), float(values[high]), name, kind, up=7)
            axis.set(ylim=(0, 1.18), xlim=(0, length), ylabel=title)
            axis.set_yticks([0, 1])
        axes[-1].set_xlabel("seconds")


def _bands(axis: Axes, x: Tensor, seconds: PositiveFloat) -> None:
    loud = ((x + 1) / 2).clamp(0, 1).T
    extent = 0, len(x) * seconds, 0, x.shape[1]
    axis.imshow(ink(loud, "rival"), origin="lower", aspect="auto", extent=extent, interpolation="nearest")
    axis.set(ylabel="band")
    axis.set_yticks([0, x.shape[1]])
