"""Clothes: small real pictures of coats, sandals, bags and boots, in a fixed split.

The images are part of Fashion-MNIST (Zalando SE 2017); origin and licence stand in data/DATA.md.
"""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks import data

DATA = ("tasks/data/clothes.npz",)
KINDS = ("coat", "sandal", "bag", "boot")
"""What a picture may show, by number."""

SPLITS = {"train": (0, 3_200), "validation": (3_200, 3_600), "test": (3_600, 4_400)}
"""Which rows of the file a split holds; each part is in random order."""


class Clothes(NamedTuple):
    """`images` (N, 14, 14), float in [0, 1], 0 where there is nothing; `labels` (N), numbers of KINDS."""

    images: Float[Tensor, "N Y X"]
    labels: Int[Tensor, "N"]


@checked
def clothes(split: str = "train") -> Clothes:
    """The pictures of a split: "train" (3,200), "validation" (400) or "test" (800).

    Raises ValueError for another word, attend.tasks.data.DamagedData when the file was changed.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    return Clothes(*data.images("clothes.npz", SPLITS[split]))


def example() -> str:
    """The first training picture and its kind, as text: a darker letter where there is more of it."""
    image, label = (part[0] for part in clothes("train"))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row).rstrip() for row in image.tolist())
    return f"{KINDS[label]}\n" + "\n".join(rows)
