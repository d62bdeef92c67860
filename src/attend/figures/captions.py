"""Captions word by word: a picture under each word, with the weight of every cell before that word was written."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas


@checked
def looks(
    images: Float[Tensor, "N Y X"],
    rows: Mapping[str, tuple[Sequence[Sequence[str]], Float[Tensor, "N T S"]]],
    right: Sequence[Sequence[str]],
) -> None:
    """For each image and each captioner of `rows` ({name: (N captions, weights)}) a row: the scene, then word by word.

    The S weights before a word are those of square cells, row by row; the more weight, the more colour. T is the number
    of words shown; a word that is not that of the `right` caption has the colour of errors, and the right one stands
    below. Raises ValueError for no captioner, for other shapes, captions of fewer than T words, and cells that do not
    make a square.
    """
    expect(len(rows) > 0, "rows", rows, "at least one captioner")
    expect(len(right) == len(images), "right", len(right), f"{len(images)} captions")
    steps = next(iter(rows.values()))[1].shape[1]
    for name, (captions, weights) in rows.items():
        side = round(weights.shape[2] ** 0.5)
        fits = weights.shape == (len(images), steps, side**2)
        expect(fits, f"rows[{name!r}]", weights, f"weights of shape ({len(images)}, {steps}, a square number)")
        spoken = len(captions) == len(images) and all(len(words) >= steps for words in (*captions, *right))
        expect(spoken, f"rows[{name!r}]", captions, f"{len(images)} captions of at least {steps} words")
    lines = [(n, name) for n in range(len(images)) for name in rows]
    options = {"squeeze": False, "gridspec_kw": {"wspace": 0.05, "hspace": 0.1}}
    wrong = sum(list(rows[name][0][n][:steps]) != list(right[n][:steps]) for n, name in lines)
    with canvas(len(lines), steps + 1, height=1.02 * len(lines) + 0.25 * wrong, **options) as (_, axes):
        for side, (n, name) in zip(axes, lines, strict=True):
            captions, weights = rows[name]
            side[0].set_ylabel(name, fontsize=10)
            _scene(side[0], images[n], "input", 1.0)
            for t, axis in enumerate(side[1:]):
                word = captions[n][t]
                _weighed(axis, weights[n, t], images.shape[1])
                _scene(axis, images[n], "ink", 0.75)
                axis.set_title(word, fontsize=10, pad=3, color=PALETTE["ink" if word == right[n][t] else "error"])
                if word != right[n][t]:
                    axis.set_xlabel(f"right: {right[n][t]}", fontsize=9, labelpad=2)


def _scene(axes: Axes, image: Tensor, kind: str, strength: float) -> None:
    """Ink on transparent paper, in five shades: they can be told apart at this size, and the picture stays light."""
    height, width = image.shape
    shades = (5 * image.clamp(0, 1)).round() / 5
    lay(axes, ink(strength * shades, kind), (0, width, height, 0))


def _weighed(axes: Axes, weights: Tensor, width: int) -> None:
    """A square of colour for each cell."""
    side = round(len(weights) ** 0.5)
    lay(axes, ink(weights.view(side, side), "attention"), (0, width, width, 0))
