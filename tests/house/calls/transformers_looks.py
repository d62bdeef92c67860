"""Valid calls of attend.transformers.looks."""

import torch

from attend.transformers.looks import blurred, looks
from attend.transformers.translator import Transformer

MODEL, TOKENS = Transformer(5, 4, 4, 2, 3, 1), torch.tensor([[1, 2], [3, 0]])

CALLS = {
    looks: {"model": MODEL, "source": TOKENS, "mask": torch.ones(2, 2, dtype=torch.bool), "target": TOKENS},
    blurred: {"model": MODEL, "place": "between"},
}
