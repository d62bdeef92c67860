"""Valid calls of attend.transformers.attention_weights."""

import torch

from attend.transformers.attention_weights import attention_weights, uniform_attention
from attend.transformers.translator import Transformer

MODEL, TOKENS = Transformer(5, 4, 4, 2, 3, 1), torch.tensor([[1, 2], [3, 0]])

CALLS = {
    attention_weights: {
        "model": MODEL,
        "source": TOKENS,
        "mask": torch.ones(2, 2, dtype=torch.bool),
        "target": TOKENS,
    },
    uniform_attention: {"model": MODEL, "kind": "cross"},
}
