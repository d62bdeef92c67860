"""The LSTM with chrono initialisation as its authors have it: time scales drawn uniformly."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.fast import fast
from attend.recipes.lstm import PACE, RecallRecipe, build
from attend.recipes.many_to_one import ManyToOne
from attend.train.fit import fit


@recipe
class DrawnRecipe(RecallRecipe):
    """Recall from `chrono` or `chrono_forget`, drawn uniformly; at the pace of the evenly spaced time scales."""

    def build(self) -> nn.Module:
        """The recurrent layer at its start."""
        lstm = build(self.start, 2.0 * self.lag, self.seed)
        bias = torch.empty(16).uniform_(1, 2.0 * self.lag - 1).log()  # b = log(τ - 1)
        with torch.no_grad():
            lstm.from_input.bias[:16] = -bias if self.start == "chrono" else 0
            lstm.from_input.bias[16:32] = bias
        return lstm

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        rate, clip = self.pace or PACE[self.start]
        model = fast(ManyToOne(self.build(), 4))
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=clip,
            callbacks=callbacks,
            label=f"{self.start}, drawn, lag {self.lag}, seed {self.seed}",
        )
        return model
