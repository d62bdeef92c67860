"""The LSTM with one part changed, on letters of the plays: which part can be spared?"""

from dataclasses import replace
from typing import Literal, get_args

import torch

from attend.core.expect import recipe
from attend.core.types import Positive
from attend.gating.lstm import LSTM, LanguageModel
from attend.gating.lstm_variants import CoupledGates, NoOutputActivation, Peepholes, WithoutGate
from attend.recipes.lstm import TUNED_ON, TextRecipe
from attend.tasks import plays
from attend.train.characters import bits

Variant = Literal[
    "whole", "no input gate", "no forget gate", "no output gate", "no output activation", "coupled gates", "peepholes"
]
VARIANTS: tuple[str, ...] = get_args(Variant)
GRID = (1e-2, 3e-2)
RATE: dict[str, float] = dict.fromkeys(VARIANTS, 3e-2) | {"no output activation": 1e-2}
"""Adam's rate by variant: the better of GRID, after 200 to 250 steps, on the first seed of TUNED_ON (`tune`)."""


@recipe
class VariantRecipe(TextRecipe):
    """The next character of the plays by a variant of the LSTM of 48 cells.

    Where one of its four blocks of weights has no use there are 59, which train as many.
    """

    variant: Variant = "whole"
    steps: Positive = 200

    def build(self) -> LanguageModel:
        """The model before training."""
        torch.manual_seed(self.seed)
        V = len(plays.ALPHABET)
        if self.variant == "coupled gates":
            return LanguageModel(CoupledGates(V, 59))
        if self.variant.endswith("gate"):
            return LanguageModel(WithoutGate(V, 59, self.variant.split()[1]))
        layers = {"whole": LSTM, "no output activation": NoOutputActivation, "peepholes": Peepholes}
        return LanguageModel(layers[self.variant](V, 48))

    def train(self) -> LanguageModel:
        """Train from the start, by default at the variant's own rate."""
        return super().train() if self.rate else replace(self, rate=RATE[self.variant]).train()


def tune() -> None:
    """Print how every variant does with every rate of GRID on one seed of TUNED_ON."""
    for variant in VARIANTS:
        for rate in GRID:
            one = VariantRecipe(variant=variant, seed=TUNED_ON[0], rate=rate)
            print(f"{variant:20} {rate}: {bits(one.train(), 'validation'):.3f} bits", flush=True)
