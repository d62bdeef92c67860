"""BERT on the sentences of the village in two sizes, pre-trained for a short time and for a longer one."""

from functools import cache

import torch

from attend.core.expect import recipe
from attend.core.types import Positive
from attend.recipes.bert import SIZE, BertRecipe, words_right
from attend.transformers.bert import Bert

WIDTHS = (16, 64)
LENGTHS = (400, 1_000)
TUNED_ON = (100,)
TUNING_RATES = (2e-3, 4e-3, 8e-3, 1.6e-2)
RATE = {16: 1.6e-2, 64: 8e-3}
"""The best of TUNING_RATES by masked words right after 400 steps, on stories of seed 2 (`tune`)."""


@recipe
class SizedBertRecipe(BertRecipe):
    """BertRecipe at another width; two heads and two blocks as there."""

    d_model: Positive = 48

    def build(self) -> Bert:
        """The model before training."""
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            return Bert(SIZE, self.d_model)


@cache
def pretrained(width: int, steps: int, seed: int) -> Bert:
    """A model of one width after so many steps."""
    return SizedBertRecipe("bert", seed, steps, rate=RATE[width], d_model=width).train()


def tune() -> None:
    """Print the share of masked words right on stories of seed 2, by width and rate."""
    for width in WIDTHS:
        for rate in TUNING_RATES:
            for seed in TUNED_ON:
                model = SizedBertRecipe("bert", seed, rate=rate, d_model=width).train()
                print(f"{width:3} {rate:g}: {words_right(model, 'bert', 2):.4f}", flush=True)
