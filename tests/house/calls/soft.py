"""Valid calls of attend.soft.scores, .read, .seq2seq and .decode."""

import torch

from attend.soft import decode, read, scores, seq2seq

SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
TARGET = torch.tensor([[1, 0], [2, 3]])
BLIND = seq2seq.Seq2Seq(5, 4, 2, 3)
SCORE = scores.Score("additive", 3, 2)
QUERIES, KEYS = torch.ones(2, 4, 3), torch.ones(2, 5, 3)
SIZES = {
    "source_vocab": 5,
    "target_vocab": 4,
    "embedding_size": 2,
    "hidden_size": 3,
    "end": 1,
    "generator": torch.Generator(),
}
OF_ONE_SCORE = {
    "dot": {},
    "scaled_dot": {},
    "cosine": {"inverse_temperature": torch.tensor(2.0)},
    "bilinear": {"M": torch.ones(3, 3)},
    "additive": {"W": torch.ones(6, 3), "U": torch.ones(6, 3), "v": torch.ones(6)},
    "location": {"W": torch.ones(7, 3), "b": torch.zeros(7)},
}

CALLS = {
    **{scores.SCORES[name]: {"queries": QUERIES, "keys": KEYS, **weights} for name, weights in OF_ONE_SCORE.items()},
    scores.Score: {
        "name": "cosine",
        "query_size": 3,
        "key_size": 2,
        "hidden_size": 6,
        "max_length": 7,
        "generator": torch.Generator(),
    },
    SCORE.forward: {"queries": QUERIES, "keys": torch.ones(2, 5, 2)},
    seq2seq.Seq2Seq: SIZES,
    BLIND.read: {"source": SOURCE, "mask": VISIBLE},
    BLIND.forward: {"source": SOURCE, "mask": VISIBLE, "target": TARGET},
    read.attention_weights: {"scores": torch.zeros(2, 4, 3), "mask": VISIBLE},
    read.read: {"scores": torch.zeros(2, 4, 3), "values": torch.ones(2, 3, 6), "mask": VISIBLE},
    read.AttentionSeq2Seq: SIZES | {"score": "location", "max_length": 7},
    decode.greedy: {"model": BLIND, "source": SOURCE, "mask": VISIBLE, "steps": 2},
    decode.beam_search: {"model": BLIND, "source": SOURCE, "mask": VISIBLE, "steps": 2, "width": 3},
}
GOOD = {
    seq2seq.Seq2Seq: {"end": {"zero"}},
    read.AttentionSeq2Seq: {"end": {"zero"}},
}
