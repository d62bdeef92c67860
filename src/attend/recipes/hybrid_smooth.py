"""The hybrid with smoothed weights: sigmoids of the scores, divided by their sum, in the place of the softmax."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.recipes.hybrid import HIDDEN, RATES, TUNED_ON, cost, validated, within
from attend.soft.hybrid import HybridAttention, Recogniser
from attend.tasks import speech
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

RATE, REACH = 1e-2, 15
"""Adam's largest rate, the best of RATES, and the window, the best of REACHES, chosen as those of the hybrid."""


class Smooth(HybridAttention):
    """The hybrid with a sigmoid in the place of exp: however high its score, no place can outweigh many."""

    def forward(self, state: Tensor, h: Tensor, mask: Tensor, last: Tensor, reach: int | None = None) -> Tensor:
        """As HybridAttention; sigmoids divided by their sum are the softmax of their logarithms."""
        near = self.place_proj(self.convolve(last[:, None]).mT)
        scores = self.score(torch.tanh(self.query_proj(state)[:, None] + self.key_proj(h) + near))[..., 0]
        return F.logsigmoid(scores).masked_fill(~within(last, mask, reach), -torch.inf).softmax(dim=1)


def build(seed: int) -> Recogniser:
    """A recogniser at initialisation, with the weights of the hybrid of that seed."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Recogniser(Smooth(64, 64, HIDDEN["hybrid"]))


@recipe
class SmoothRecipe:
    """Trained as HybridRecipe trains the others, on the same strings."""

    seed: Seed = 0
    steps: Positive = 500
    rate: PositiveFloat = RATE

    def train(self) -> tuple[Recogniser, History]:
        """Train from the start, with a rate that rises and falls to zero."""
        model = build(self.seed)
        optimiser = torch.optim.AdamW(model.parameters(), lr=self.rate)
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)  # for dropout
            history = fit(
                model,
                cost,
                speech.strings("train", 32, torch.Generator().manual_seed(1_000 + self.seed)),
                steps=self.steps,
                optimiser=optimiser,
                schedule=one_cycle(optimiser, self.steps),
                clip=1.0,
                label=f"smooth, seed {self.seed}",
            )
        return model.eval(), history


def tune(rates: Sequence[float] = RATES) -> None:
    """Print the label errors on validation voices for each rate."""
    for rate in rates:
        for seed in TUNED_ON:
            print(f"smooth {rate:g}: {validated(SmoothRecipe(seed, rate=rate).train()[0])}", flush=True)
