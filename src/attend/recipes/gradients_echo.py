"""The echo of the page on backpropagation through time, with recurrent weights that move more slowly than the head."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat
from attend.fast import fast
from attend.recipes.gradients import FROZEN_RATE, LAG, TUNED_ON, Echo, EchoRecipe
from attend.train.fit import fit

SLOW_GRID = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
SLOW_RATE = 3e-5
"""Adam's rate for W, U and b with a window of 10, the best of SLOW_GRID; the head has the rate that it has alone."""


@recipe
class SlowEchoRecipe(EchoRecipe):
    """An echo whose head learns at FROZEN_RATE, as if it were alone, and whose recurrent layer learns at `rate`."""

    window: Positive = 10
    rate: PositiveFloat = SLOW_RATE

    def train(self, callbacks=()) -> Echo:
        """Train from the start, on the streams of `EchoRecipe`."""
        torch.manual_seed(self.seed)
        model, state = fast(Echo()), None
        generator = torch.Generator().manual_seed(1_000 + self.seed)

        def bits(steps: int) -> Tensor:
            return torch.randint(0, 2, (32, steps), generator=generator).float()

        def chunks() -> Iterator[tuple[Tensor, Tensor]]:
            past = bits(LAG)
            while True:
                both = torch.cat([past, bits(self.window)], dim=1)
                past = both[:, -LAG:]
                yield both[:, LAG:], both[:, :-LAG]

        def loss(model: Echo, batch: tuple[Tensor, Tensor]) -> Tensor:
            nonlocal state
            logits, state = model(2 * batch[0][..., None] - 1, state)
            state = state.detach()
            return binary_cross_entropy_with_logits(logits, batch[1])

        slow = {"params": [*model.rnn.parameters()], "lr": self.rate}
        optimiser = torch.optim.Adam([slow, {"params": [*model.head.parameters()]}], lr=FROZEN_RATE)
        label = f"echo, window {self.window}, slow, seed {self.seed}"
        steps = self.steps // self.window
        fit(model, loss, chunks(), steps=steps, optimiser=optimiser, clip=1.0, callbacks=callbacks, label=label)
        return model


def tune() -> None:
    """Print what every rate of SLOW_GRID reaches on the seeds of TUNED_ON."""
    for rate in SLOW_GRID:
        recipes = [SlowEchoRecipe(seed=seed, rate=rate) for seed in TUNED_ON]
        print(f"slow echo, {rate:g}: {' '.join(f'{one.accuracy(one.train()):.3f}' for one in recipes)}", flush=True)
