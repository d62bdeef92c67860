"""What was found on a canvas: pixels coloured by their names, and patches with the graph of their neighbours."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas

KINDS = ("summary", "rival")
"""The colours of what is named digit (0) and clutter (1); all higher numbers are left empty."""


@checked
def answers(images: Float[Tensor, "N Y X"], labels: Int[Tensor, "N Y X"], named: Mapping[str, Tensor]) -> None:
    """A column for each canvas: its ink, the true names, and below it the names that each of `named` gives.

    `named` holds class numbers of the shape of `labels`. In those rows a pixel that is truly digit or clutter and got
    another name is orange, which stands out from both. Raises ValueError for other shapes, and for nothing to show.
    """
    for name, classes in named.items():
        expect(classes.shape == labels.shape, f"named[{name!r}]", classes, f"classes of shape {tuple(labels.shape)}")
    rows = {"canvas": None, "true": labels} | dict(named)
    options = {"squeeze": False, "gridspec_kw": {"wspace": 0.08, "hspace": 0.08}}
    with canvas(len(rows), len(images), height=min(1.6, 4.7 / len(images)) * len(rows), **options) as (_, axes):
        for side, (name, classes) in zip(axes, rows.items(), strict=True):
            side[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)
            for n, axis in enumerate(side):
                if classes is None:
                    lay(axis, ink(images[n], "ink"))
                else:
                    lay(axis, _coloured(classes[n], labels[n]))


@checked
def graph(
    patch: Int[Tensor, "Y X"],
    neighbours: Int[Tensor, "N K"],
    labels: Int[Tensor, "N"],
    classes: Int[Tensor, "N"],
    order: Sequence[int],
    accuracies: Mapping[str, tuple[Sequence[float], str]],
) -> None:
    """Above, the patches of a canvas, who touches whom, and the number of each visit; below, accuracies over seeds.

    `patch` names the patch of each pixel (-1: paper); `neighbours` (-1: none), the true `labels` and the `classes` that
    were named belong to its N patches, and a patch whose two differ is orange; `order` holds the patches in the order
    of the visits. `accuracies` is {name: (values, kind)}. Raises ValueError for an order that does not name each patch
    once, and for a colour that is not in the palette.
    """
    count = int(patch.max()) + 1
    expect(sorted(order) == list(range(count)), "order", order, f"each patch 0 to {count - 1} once")
    for name, given in (("labels", labels), ("classes", classes)):
        expect(len(given) >= count, name, given, f"a class for each of {count} patches")
    expect(len(accuracies) > 0, "accuracies", accuracies, "at least one row")
    with canvas(2, 1, height=5.2, height_ratios=(1.35, 1)) as (_, (above, below)):
        named, true = (torch.where(patch >= 0, of[patch.clamp(min=0)], len(KINDS)) for of in (classes, labels))
        lay(above, _coloured(named, true))
        _borders(above, patch)
        _edges(above, patch, neighbours[:count])
        for turn, node in enumerate(order, start=1):
            row, column = _middle(patch, node)
            style = {"color": PALETTE["ink"], "fontsize": 9.5, "ha": "center", "va": "center"}
            above.text(column, row, turn, bbox={"boxstyle": "circle,pad=0.15", "fc": "white", "ec": "none"}, **style)
        for place, (name, (values, kind)) in enumerate(accuracies.items()):
            expect(kind in PALETTE, f"accuracies[{name!r}]", kind, f"one of {', '.join(PALETTE)}")
            below.plot(np.multiply(100, values), [-place] * len(values), "o", color=PALETTE[kind], ms=5, alpha=0.7)
        below.set_yticks([-place for place in range(len(accuracies))], labels=list(accuracies))
        below.set(xlabel="patches named rightly (%)", ylim=(0.6 - len(accuracies), 0.4))


@checked
def named(
    patch: Int[Tensor, "B Y X"],
    neighbours: Int[Tensor, "B N K"],
    labels: Int[Tensor, "B N"],
    classes: Int[Tensor, "B N"],
) -> None:
    """Canvases side by side: the patches of each, coloured by the `classes` that were named, and who touches whom.

    A patch whose true label (0 or 1) is another one is orange, and crossed. Arguments as in `attend.tasks.superpixels`.
    """
    with canvas(1, len(patch), height=7.4 / len(patch), squeeze=False) as (_, axes):
        for axis, ink_of, near, true, said in zip(axes[0], patch, neighbours, labels, classes, strict=True):
            coloured, wanted = (torch.where(ink_of >= 0, of[ink_of.clamp(min=0)], len(KINDS)) for of in (said, true))
            lay(axis, _coloured(coloured, wanted))
            _borders(axis, ink_of)
            count = int(ink_of.max()) + 1
            _edges(axis, ink_of, near[:count])
            for node in (said[:count] != true[:count]).nonzero()[:, 0].tolist():
                row, column = _middle(ink_of, node)
                axis.plot(column, row, "x", color=PALETTE["ink"], ms=9, mew=2)


def _borders(axes: Axes, patch: Tensor) -> None:
    """Thin lines between patches, and the view drawn close around the ink."""
    upright = (patch[:, 1:] != patch[:, :-1]).nonzero().tolist()
    level = (patch[1:] != patch[:-1]).nonzero().tolist()
    lines = [[(c + 0.5, r - 0.5), (c + 0.5, r + 0.5)] for r, c in upright]
    lines += [[(c - 0.5, r + 0.5), (c + 0.5, r + 0.5)] for r, c in level]
    axes.add_collection(LineCollection(lines, colors="white", linewidths=0.9))
    ink = (patch >= 0).nonzero()
    (top, first), (bottom, last) = ink.amin(0).tolist(), ink.amax(0).tolist()
    axes.set(xlim=(first - 1.5, last + 1.5), ylim=(bottom + 1.5, top - 1.5))


def _edges(axes: Axes, patch: Tensor, neighbours: Tensor) -> None:
    for node, row in enumerate(neighbours.tolist()):
        for other in row:
            if other > node:
                ends = np.array([_middle(patch, node), _middle(patch, other)])
                axes.plot(ends[:, 1], ends[:, 0], color=PALETTE["ink"], lw=1)


def _middle(patch: Tensor, node: int) -> tuple[float, float]:
    """The pixel of a patch that lies nearest to its centre, as (row, column)."""
    places = (patch == node).nonzero().double()
    row, column = places[(places - places.mean(0)).square().sum(1).argmin()].tolist()
    return row, column


def _coloured(classes: Tensor, true: Tensor) -> np.ndarray:
    pixels = np.zeros((*classes.shape, 4))
    for number, kind in enumerate(KINDS):
        pixels[(classes == number).numpy()] = (*to_rgb(PALETTE[kind]), 1)
    pixels[((true < len(KINDS)) & (classes != true)).numpy()] = (*to_rgb(PALETTE["input"]), 1)
    return pixels
