"""Valid calls of attend.soft.lexicon and .aligner."""

import torch

from attend.soft import aligner, lexicon

SOURCE, TARGET = torch.tensor([[1, 2, 0], [2, 0, 0]]), torch.tensor([[1, 3, 2, 0], [2, 0, 0, 0]])
VISIBLE, ASKED = torch.ones(2, 3, dtype=torch.bool), torch.ones(2, 4, dtype=torch.bool)
TABLE, WEIGHTS = torch.full((4, 3), 0.25), torch.full((2, 4, 3), 1 / 3)
WORDS = {"source": SOURCE, "target": TARGET}
MODEL = aligner.Aligner(3, 4, 5, 6, generator=torch.Generator().manual_seed(0))

CALLS = {
    lexicon.start: {"target_V": 4, "source_V": 3},
    lexicon.look: {"table": TABLE, **WORDS, "mask": VISIBLE, "prior": WEIGHTS},
    lexicon.tally: {"weights": WEIGHTS, **WORDS, "asked": ASKED, "table": TABLE, "smoothing": 0.1},
    lexicon.said: {"table": TABLE, **WORDS},
    lexicon.surprise: {"said": WEIGHTS, "weights": WEIGHTS, "asked": ASKED},
    lexicon.nearness: {"mask": VISIBLE, "asked": ASKED, "strength": 2.0},
    aligner.Aligner: {"source_V": 3, "target_V": 4, "D": 5, "H": 6, "end": 0, "generator": None},
    MODEL.forward: {**WORDS, "mask": VISIBLE, "drop": 0.5, "generator": torch.Generator()},
    aligner.after: {"weights": WEIGHTS, "table": TABLE, **WORDS, "mask": VISIBLE},
}
GOOD = {aligner.Aligner: {"end": {"zero"}}, lexicon.nearness: {"strength": {"zero"}}}
