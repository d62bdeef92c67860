"""Coins to flip, drag and shuffle: the path of the summary changes, its end stays."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked
from attend.live.figure import LiveFigure


class Coin(LiveFigure):
    """Ten coins and the walk of their summary: one step right for each flip, one step up for each heads.

    `flips` holds 0 (tails) and 1 (heads); `weights` are those of a learned summary, by name: W (H, 1), U (H, H), b (H),
    readout (H), bias (1). Raises ValueError unless there are 2 to 12 flips.
    """

    @checked
    def __init__(self, flips: Sequence[int], weights: Mapping[str, Tensor]):
        if not 2 <= len(flips) <= 12 or not set(flips) <= {0, 1}:
            raise ValueError(f"flips: got {list(flips)}, expected 2 to 12 values, each 0 (tails) or 1 (heads)")
        super().__init__(
            alt=(
                f"A row of {len(flips)} coins. Below it, the summary walks: a step right for each flip, and up as well "
                "if it is heads. Coins in another order give another path, and every path ends at the same point, "
                "which is the memory. Two faint walks, all heads first and all tails first, enclose the rest. Under "
                "it stand two probabilities that the next flip is heads: the exact one, and one by a small trained "
                "network."
            ),
            invite="Drag a coin, or shuffle. What can change, and what cannot? A tap turns a coin.",
            data={"flips": list(flips)},
            tensors=weights,
            precision="float16",
        )
