"""What gates do to memory: what is recalled by lag, how two units learn by the second, and when the gates open."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_ends

Rows = Mapping[str, tuple[Tensor, str]]


@checked
def recalled(lags: Float[Tensor, " L"], shares: Rows, chance: float) -> None:
    """The share of right answers by lag, on a logarithmic axis; a dot for each seed, a line through their means.

    `shares` holds by name (values (S, L), kind): one row for each seed, and a colour's name. The dashed line is
    `chance`. Raises ValueError for shares outside 0 to 1.
    """
    expect(0 < chance < 1, "chance", chance, "a share between 0 and 1")
    _rows("shares", shares, len(lags))
    ends = {}
    with canvas(height=2.7) as (_, axes):
        axes.axhline(chance, color=PALETTE["quiet"], ls="--", lw=1)
        axes.annotate("guessing", (0.01, chance), xycoords=("axes fraction", "data"), va="bottom", fontsize=9)
        for name, (values, kind) in shares.items():
            inside = bool(((values >= 0) & (values <= 1)).all())
            expect(inside, f"shares[{name!r}]", values, "shares from 0 to 1")
            x, y = lags.numpy(), values.double().numpy()
            axes.plot(x, y.mean(0), color=PALETTE[kind], ls="--" if kind == "rival" else "-")
            axes.plot(x, y.T, "o", color=PALETTE[kind], ms=4, alpha=0.7)
            ends[name] = float(y[:, -1].mean()), kind
        axes.set(xscale="log", xlabel="lag, in steps", ylabel="share of right answers", ylim=(0, 1.08))
        axes.set_xticks(lags.numpy(), [f"{lag:.0f}" for lag in lags.tolist()])
        axes.minorticks_off()
        right = axes.get_xlim()[1]
        name_ends(axes, {name: (right, *end) for name, end in ends.items()})


@checked
def learning(seconds: Rows, errors: Rows, landmarks: Mapping[str, float]) -> None:
    """Errors by seconds of processor time, on a logarithmic scale: one thin line for each seed.

    `seconds` and `errors` hold by the same names (values (S, N), kind); `landmarks` are named errors, drawn as dashed
    lines. Raises ValueError for errors and landmarks that are not above 0.
    """
    _rows("seconds", seconds)
    _rows("errors", errors)
    expect(list(seconds) == list(errors), "errors", list(errors), f"the names {list(seconds)}")
    ends = {}
    with canvas(height=2.9) as (_, axes):
        for text, level in landmarks.items():
            expect(0 < level < float("inf"), f"landmarks[{text!r}]", level, "a number above 0")
            axes.axhline(level, color=PALETTE["quiet"], ls="--", lw=1)
            place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (0, -3)}
            axes.annotate(text, (0.99, level), **place, ha="right", va="top", fontsize=9)
        for name, (values, kind) in errors.items():
            when = seconds[name][0]
            expect(when.shape == values.shape, f"errors[{name!r}]", values, f"values of shape {tuple(when.shape)}")
            expect(bool((values > 0).all()), f"errors[{name!r}]", values, "numbers above 0")
            axes.plot(when.numpy().T, values.numpy().T, color=PALETTE[kind], lw=1.3)
            ends[name] = float(values[:, -1].log().mean().exp()), kind
        axes.set(xlabel="seconds of processor time", ylabel="mean squared error", yscale="log", xlim=(0, None))
        right = axes.get_xlim()[1]
        name_ends(axes, {name: (right, *end) for name, end in ends.items()})


@checked
def opening(x: Float[Tensor, "T 2"], taken: Float[Tensor, " T"], heard: Float[Tensor, " T"]) -> None:
    """One series of the adding task with its marked numbers filled; how far a gate opens; what each number moves.

    `taken` is 1 - z at each step, `heard` the derivative of the answer by the number of each step.
    """
    steps, numbers, marked = np.arange(1, len(x) + 1), x[:, 0].numpy(), x[:, 1].numpy() > 0
    with canvas(3, 1, height=4.0, sharex=True) as (_, (above, middle, below)):
        above.plot(steps, numbers, "o", color=PALETTE["input"], ms=3, mfc="none", mew=0.8)
        above.plot(steps[marked], numbers[marked], "o", color=PALETTE["input"], ms=7)
        above.set(ylabel="number", ylim=(-0.15, 1.15), yticks=(0, 1))
        middle.bar(steps, taken.numpy(), width=0.9, color=PALETTE["gate"])
        middle.set(ylabel="1 − z", ylim=(0, None))
        below.bar(steps, heard.numpy(), width=0.9, color=PALETTE["summary"])
        below.set(xlabel="step", ylabel="answer moves", xlim=(0, len(x) + 1))


def _rows(name: str, rows: Rows, columns: int | None = None) -> None:
    """Refuse anything but named tables of finite numbers, with a colour of the palette each."""
    expect(len(rows) > 0, name, rows, "at least one line")
    for key, value in rows.items():
        pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Tensor)
        fits = pair and value[0].ndim == 2 and value[0].numel() > 0 and bool(value[0].isfinite().all())
        fits = fits and (columns is None or value[0].shape[1] == columns)
        wide = "N" if columns is None else columns
        expect(fits, f"{name}[{key!r}]", value, f"a pair of finite numbers of shape (S, {wide}) and a colour")
        expect(value[1] in PALETTE, f"{name}[{key!r}]", value[1], f"a colour among {', '.join(PALETTE)}")
