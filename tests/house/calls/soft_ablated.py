"""Valid calls of attend.soft.ablated."""

import torch

from attend.soft import ablated

SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
CUT, BAG = ablated.Unbridged(5, 4, 2, 3), ablated.Unordered(5, 4, 3)
SIZES = {"source_V": 5, "target_V": 4, "H": 3, "score": "location", "end": 1, "places": 7}

CALLS = {
    ablated.Unordered: SIZES | {"generator": torch.Generator()},
    CUT.start: {"memory": CUT.read(SOURCE, VISIBLE)},
    BAG.read: {"source": SOURCE, "mask": VISIBLE},
}
GOOD = {ablated.Unordered: {"end": {"zero"}}}
