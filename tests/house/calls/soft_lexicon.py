"""Valid calls of attend.soft.lexicon and .aligner."""

import torch

from attend.soft import aligner, lexicon

SOURCE, TARGET = torch.tensor([[1, 2, 0], [2, 0, 0]]), torch.tensor([[1, 3, 2, 0], [2, 0, 0, 0]])
VISIBLE, ASKED = torch.ones(2, 3, dtype=torch.bool), torch.ones(2, 4, dtype=torch.bool)
TABLE, WEIGHTS = torch.full((4, 3), 0.25), torch.full((2, 4, 3), 1 / 3)
WORDS = {"source": SOURCE, "target": TARGET}
MODEL = aligner.Aligner(3, 4, 5, 6, generator=torch.Generator().manual_seed(0))

CALLS = {
    lexicon.uniform_table: {"target_vocab": 4, "source_vocab": 3},
    lexicon.e_step: {"table": TABLE, **WORDS, "mask": VISIBLE, "prior": WEIGHTS},
    lexicon.m_step: {"weights": WEIGHTS, **WORDS, "loss_mask": ASKED, "table": TABLE, "smoothing": 0.1},
    lexicon.pair_probs: {"table": TABLE, **WORDS},
    lexicon.cross_entropy: {"pair_probs": WEIGHTS, "weights": WEIGHTS, "loss_mask": ASKED},
    lexicon.diagonal_scores: {"mask": VISIBLE, "loss_mask": ASKED, "strength": 2.0},
    aligner.Aligner: {"source_vocab": 3, "target_vocab": 4, "embedding_size": 5, "hidden_size": 6, "end": 0},
    MODEL.forward: {**WORDS, "mask": VISIBLE, "dropout": 0.5, "generator": torch.Generator()},
    aligner.posterior: {"weights": WEIGHTS, "table": TABLE, **WORDS, "mask": VISIBLE},
}
GOOD = {aligner.Aligner: {"end": {"zero"}}, lexicon.diagonal_scores: {"strength": {"zero"}}}
