"""Today's language model, the class of the page on it, at our size and at a published one.

`python -m attend.recipes llama --size paper --dry-run` tells what the large one costs.
"""

import numpy as np
import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Plural, Positive
from attend.recipes.launch import LanguageModelRecipe
from attend.tasks import plays
from attend.transformers.modern import ModernTransformer


@recipe
class LlamaRecipe(LanguageModelRecipe):
    """The next letter of the plays; with `data` the next token of whatever text it is."""

    vocab_size: Plural = len(plays.ALPHABET)
    d_model: Positive = 64
    num_heads: Positive = 4
    num_kv_heads: Positive = 2
    d_ff: Positive = 206
    num_layers: Positive = 2

    def build(self) -> nn.Module:
        """The model at its start."""
        torch.manual_seed(self.seed)
        sizes = self.d_model, self.num_heads, self.num_kv_heads, self.d_ff, self.num_layers
        return ModernTransformer(self.vocab_size, *sizes)

    def tokens(self) -> Tensor | np.ndarray:
        """The training scenes of the plays, where no file is given and the vocabulary is theirs."""
        if self.data is None and self.vocab_size == len(plays.ALPHABET):
            return plays.stream("train")
        return super().tokens()


SIZES = {
    "small": LlamaRecipe(),
    # Grattafiori et al. 2024, arXiv:2407.21783: sizes and rate of the 8B in table 3; 15 trillion tokens in batches of 4
    # million and 8,000 steps of warmup, as section 3.4.1 begins with the largest.
    "paper": LlamaRecipe(
        batch=512,
        context=8_192,
        steps=3_600_000,
        rate=3e-4,
        warmup=8_000,
        weight_decay=0.1,
        vocab_size=128_256,
        d_model=4_096,
        num_heads=32,
        num_kv_heads=8,
        d_ff=14_336,
        num_layers=32,
    ),
}
"""Ours, and Llama 3 8B."""
