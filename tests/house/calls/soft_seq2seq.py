"""Valid calls of attend.soft.nearest, attend.figures.lengths and attend.live.seq2seq."""

import torch

from attend.figures.lengths import by_length
from attend.live.seq2seq import EmbeddingPlanes
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
    EmbeddingPlanes: {
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
    EmbeddingPlanes: {"number": {"zero"}, "end": {"zero"}},
}
