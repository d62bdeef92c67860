"""Valid calls of attend.soft.nearest, attend.figures.lengths and attend.live.curves."""

import torch

from attend.figures.lengths import by_length
from attend.live.curves import Curves
from attend.soft.nearest import NearestSeq2Seq

MODEL = NearestSeq2Seq(5, 4, 2, 3)

CALLS = {
    NearestSeq2Seq: {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 3,
        "end": 1,
        "generator": torch.Generator(),
    },
    by_length: {"groups": [(1, 3), (4, 9)], "lines": {"one": ([[0.9, 0.2]], "summary")}, "x_name": "words"},
    Curves: {
        "tensors": dict(MODEL.state_dict()),
        "english": list("abcde"),
        "german": list("wxyz"),
        "number": 7,
        "end": 1,
    },
}
GOOD = {
    NearestSeq2Seq: {"end": {"zero"}},
    by_length: {"x_name": {"word"}},
    Curves: {"number": {"zero"}, "end": {"zero"}},
}
