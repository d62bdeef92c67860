"""Valid calls of attend.soft.ablated."""

import torch

from attend.soft import ablated

SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
BAG = ablated.WordsOnly(5, 4, 3)
SIZES = {"source_vocab": 5, "target_vocab": 4, "hidden_size": 3, "score": "location", "end": 1, "max_length": 7}

CALLS = {
    ablated.WordsOnly: SIZES | {"generator": torch.Generator()},
    BAG.read: {"source": SOURCE, "mask": VISIBLE},
}
GOOD = {ablated.WordsOnly: {"end": {"zero"}}}
