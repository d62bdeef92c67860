"""Valid calls of attend.tasks.pairs and .translation."""

import torch

from attend.tasks import pairs, translation

LOGITS, WORDS = torch.zeros(2, 3, 4), torch.tensor([[1, 0, 3], [2, 1, 0]])
ASKED = torch.tensor([[True, True, True], [True, False, False]])
PAIRS = translation.encode((7, 42))

CALLS = {
    pairs.padded: {"rows": [[1], [2, 3]], "filling": 4},
    pairs.batches: {"everything": PAIRS, "B": 2, "generator": torch.Generator()},
    pairs.cropped: {"pairs": PAIRS},
    pairs.cost: {"logits": LOGITS, "target": WORDS, "asked": ASKED},
    pairs.exact: {"written": WORDS, "target": WORDS, "asked": ASKED},
    translation.tokens: {"words": ("forty", "two")},
    translation.encode: {"of": (7, 42), "reverse": True},
    translation.origins: {"of": (7, 42)},
    translation.on_the_right_word: {"weights": torch.ones(2, 3, 4), "origin": WORDS},
    translation.spell: {"written": torch.tensor([1, 2])},
}
GOOD = {pairs.padded: {"filling": {"zero", "negative"}}}
