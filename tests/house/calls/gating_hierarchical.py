"""Valid calls of attend.gating.hierarchical."""

import torch
from torch import nn

from attend.gating.hierarchical import Decoder, FlatEncoderDecoder, HierarchicalEncoderDecoder, flatten

HIERARCHICAL, FLAT = HierarchicalEncoderDecoder(6, 2, 3, 4), FlatEncoderDecoder(6, 2, 3, 4)
WRITER = Decoder(nn.Embedding(6, 2), 4, 3)
WORDS = torch.tensor([[[1, 2, 0], [3, 0, 0]], [[4, 5, 0], [0, 0, 0]]])
VISIBLE = torch.tensor([[[True, True, True], [True, True, False]], [[True, True, True], [False, False, False]]])
DIALOGUE = {"words": WORDS, "mask": VISIBLE}
ANSWER = torch.tensor([[1, 0], [2, 3]])

CALLS = {
    Decoder: {
        "embed": nn.Embedding(6, 2),
        "context_size": 4,
        "hidden_size": 3,
        "end": 1,
        "generator": torch.Generator(),
    },
    WRITER.forward: {"context": torch.ones(2, 4), "answer": ANSWER},
    WRITER.generate: {"context": torch.ones(2, 4), "steps": 2},
    HierarchicalEncoderDecoder: {
        "vocab_size": 6,
        "embedding_size": 2,
        "hidden_size": 3,
        "context_size": 4,
        "end": 1,
        "longest": (5.0, 3.0),
        "generator": torch.Generator(),
    },
    HIERARCHICAL.encode_turns: DIALOGUE,
    HIERARCHICAL.contexts: DIALOGUE,
    HIERARCHICAL.encode: DIALOGUE,
    HIERARCHICAL.forward: {**DIALOGUE, "answer": ANSWER},
    HIERARCHICAL.generate: {**DIALOGUE, "steps": 2},
    FlatEncoderDecoder: {
        "vocab_size": 6,
        "embedding_size": 2,
        "hidden_size": 3,
        "context_size": 4,
        "end": 1,
        "longest": 20.0,
        "generator": torch.Generator(),
    },
    FLAT.encode: DIALOGUE,
    FLAT.forward: {**DIALOGUE, "answer": ANSWER},
    FLAT.generate: {**DIALOGUE, "steps": 2},
    flatten: DIALOGUE,
}
GOOD = {
    Decoder: {"end": {"zero"}},
    WRITER.forward: {"answer": {"width"}},
    HierarchicalEncoderDecoder: {"end": {"zero"}},
    HIERARCHICAL.forward: {"answer": {"width"}},
    FlatEncoderDecoder: {"end": {"zero"}},
}
