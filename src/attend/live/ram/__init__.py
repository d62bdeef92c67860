"""A model that looks at small parts of a canvas, one after the other, and chooses where: in the reader's browser."""

from collections.abc import Mapping, Sequence
from typing import Any

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LAYERS = ("what", "where", "combine", "from_input", "classifier", "location_head")
NEEDED = ("from_hidden.weight", *(f"{name}.{part}" for name in LAYERS for part in ("weight", "bias")))


class Glimpses(LiveFigure):
    """The recurrent attention model at work: where each glimpse falls, what it sees, what is said after it.

    `canvases` (N, W, W), float in [0, 1], can be looked at; `labels` and `middles` (N, 2), locations (down, across),
    say what each shows and where; `names` are those of the classes. `weights` are those of `attend.hard.ram.RAM`.
    Each of `glimpses` has `scales` crops of `size` x `size` numbers. The reader's first location is `first`; drawn
    ones spread by `sigma` around their means. Travels as int8. Raises ValueError for weights or labels that do not fit.
    """

    @checked
    def __init__(
        self,
        canvases: Float[Tensor, "N W W"],
        labels: Sequence[int],
        middles: Float[Tensor, "N 2"],
        weights: Mapping[str, Any],
        names: Sequence[str],
        glimpses: int = 4,
        start: int = 0,
        first: tuple[float, float] = (-0.8, -0.8),
        sigma: float = 0.1,
        size: int = 12,
        scales: int = 3,
    ):
        count, width = canvases.shape[:2]
        expect(count <= 8, "canvases", canvases, "1 to 8 canvases")
        expect(width <= 64, "canvases", canvases, "canvases of at most 64 x 64 pixels")
        _fit(weights, labels, names, count, size, scales)
        expect(1 <= glimpses <= 8, "glimpses", glimpses, "a whole number from 1 to 8")
        expect(0 <= start < count, "start", start, f"a whole number from 0 to {count - 1}")
        expect(max(map(abs, first)) <= 1, "first", first, "down and across, both from -1 to 1")
        expect(0 < sigma < float("inf"), "sigma", sigma, "a positive number")
        super().__init__(
            alt=_alt(width, glimpses),
            invite="Put the first glimpse into an empty corner. Does the model find the sign?",
            data={
                "width": width,
                "labels": [int(label) for label in labels],
                "names": list(names),
                "middles": [[round(float(at), 4) for at in middle] for middle in middles],
                "glimpses": glimpses,
                "start": start,
                "first": list(first),
                "sigma": sigma,
                "size": size,
                "scales": scales,
            },
            tensors={name: weights[name] for name in NEEDED} | {"canvases": (canvases * 255).round().byte()},
            precision="int8",
        )


def _fit(
    weights: Mapping[str, Any], labels: Sequence[int], names: Sequence[str], count: int, size: int, scales: int
) -> None:
    """Refuse weights that lack a part, labels or names that are no classes, and a glimpse that they do not take in."""
    expect(all(name in weights for name in NEEDED), "weights", sorted(weights), f"tensors named {', '.join(NEEDED)}")
    classes, seen = len(weights["classifier.bias"]), weights["what.weight"].shape[1]
    fits = len(labels) == count and all(0 <= int(label) < classes for label in labels)
    expect(fits, "labels", labels, f"{count} whole numbers from 0 to {classes - 1}")
    expect(len(names) == classes and all(names), "names", names, f"{classes} names, none empty")
    expect(size > 0 and size % 2 == 0, "size", size, "an even number above 0")
    expect(scales * size**2 == seen, "scales", scales, f"so many that scales · size² = {seen}")


def _alt(width: int, glimpses: int) -> str:
    return (
        f"A canvas of {width} by {width} pixels with one handwritten digit among scraps of others. {glimpses} glimpses "
        "are numbered where they fell and joined by a line; squares around the last show what it took in. Beside the "
        "canvas stands a row for each glimpse: its view, sharp in the middle and coarser around, and a bar for each "
        "class, the probability that the model gives to it after this glimpse. Left to itself, the model begins at the "
        "same location on every canvas; where it looks next depends on what it saw."
    )
