"""Valid calls of attend.figures.alignment."""

import torch

from attend.figures import alignment

WORDS = {"target": ["zwei", "und"], "source": ["forty", "two", "!"], "links": torch.ones(2, 3, dtype=torch.bool)}

CALLS = {
    alignment.alignment: {"weights": torch.full((2, 3), 0.3), **WORDS},
    alignment.alignments: {"weights": {"attention": torch.full((2, 3), 0.3)}, **WORDS},
}
