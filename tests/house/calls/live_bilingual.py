"""Valid calls of attend.live.bilingual."""

import torch

from attend.live.bilingual import bilingual, vocabularies

WORDS = {"english": ["and", "one", "two"], "german": ["end", "eins", "zwei", "drei"]}
ROWS = {"embed_source.weight": torch.ones(3, 2), "embed_target.weight": torch.ones(4, 2)}

CALLS = {
    vocabularies: {"tensors": ROWS, **WORDS},
    bilingual: {**WORDS, "number": 12, "end": 1, "most": 99},
}
GOOD = {bilingual: {"number": {"zero"}, "end": {"zero"}}}
