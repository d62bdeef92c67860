"""A neural n-gram model: the next token from embeddings of the last k, by one hidden layer.

Source   Bengio, Ducharme, Vincent and Jauvin 2003, A neural probabilistic language model, equations (1) and (5).
Departs  no direct connections from the embeddings to the logits (their W = 0, which their table has, too).
Agrees   the formula term by term, in values and gradients (tests/memory/test_training.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Positive, Tokens


class NextToken(nn.Module):
    """Logits of the next token, W_2 tanh(W_1 [e_1 … e_k] + b_1) + b_2, from the last k of a vocabulary of V.

    Input (..., k) whole numbers below V; output (..., V) logits. Weights start as torch.nn has them. Raises ValueError
    for sizes that are not positive, and for tokens that are not in the vocabulary.
    """

    @checked
    def __init__(self, vocab_size: Positive, k: Positive, width: Positive = 8, hidden_size: Positive = 64):
        super().__init__()
        self.vocab_size, self.k = vocab_size, k
        self.embed = nn.Embedding(vocab_size, width)  # V rows of `width` numbers
        self.hidden = nn.Linear(k * width, hidden_size)
        self.head = nn.Linear(hidden_size, vocab_size)

    @checked
    def forward(self, context: Tokens["*B {self.k}", "self.vocab_size"]) -> Float[Tensor, "*B V"]:
        """The logits of what comes after each context."""
        e = self.embed(context).flatten(-2)  # (..., k) -> (..., k, width) -> (..., k * width)
        h = torch.tanh(self.hidden(e))  # (..., H)
        return self.head(h)  # (..., V)
