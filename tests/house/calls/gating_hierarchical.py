"""Valid calls of attend.gating.hierarchical."""

import torch
from torch import nn

from attend.gating.hierarchical import Flat, Hierarchical, Writer, flatten

HIERARCHICAL, FLAT = Hierarchical(6, 2, 3, 4), Flat(6, 2, 3, 4)
WRITER = Writer(nn.Embedding(6, 2), 4, 3)
WORDS = torch.tensor([[[1, 2, 0], [3, 0, 0]], [[4, 5, 0], [0, 0, 0]]])
VISIBLE = torch.tensor([[[True, True, True], [True, True, False]], [[True, True, True], [False, False, False]]])
DIALOGUE = {"words": WORDS, "mask": VISIBLE}
ANSWER = torch.tensor([[1, 0], [2, 3]])

CALLS = {
    Writer: {"words": nn.Embedding(6, 2), "C": 4, "H": 3, "end": 1, "generator": torch.Generator()},
    WRITER.forward: {"context": torch.ones(2, 4), "answer": ANSWER},
    WRITER.write: {"context": torch.ones(2, 4), "steps": 2},
    Hierarchical: {"V": 6, "D": 2, "H": 3, "C": 4, "end": 1, "longest": (5.0, 3.0), "generator": torch.Generator()},
    HIERARCHICAL.turns: DIALOGUE,
    HIERARCHICAL.contexts: DIALOGUE,
    HIERARCHICAL.read: DIALOGUE,
    HIERARCHICAL.forward: {**DIALOGUE, "answer": ANSWER},
    HIERARCHICAL.write: {**DIALOGUE, "steps": 2},
    Flat: {"V": 6, "D": 2, "H": 3, "C": 4, "end": 1, "longest": 20.0, "generator": torch.Generator()},
    FLAT.read: DIALOGUE,
    FLAT.forward: {**DIALOGUE, "answer": ANSWER},
    FLAT.write: {**DIALOGUE, "steps": 2},
    flatten: DIALOGUE,
}
GOOD = {
    Writer: {"end": {"zero"}},
    WRITER.forward: {"answer": {"width"}},
    Hierarchical: {"end": {"zero"}},
    HIERARCHICAL.forward: {"answer": {"width"}},
    Flat: {"end": {"zero"}},
}
