"""A differentiable neural computer and an LSTM that learn shortest paths through metros."""

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.recipes.dnc import build, cost
from attend.tasks import journeys
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

STEPS, BATCH = 1_500, 48
RATES = (5e-3, 1e-2, 2e-2)
RATE = 2e-2
"""Adam's largest rate, for the DNC and the LSTM alike. Of RATES it is the best for either on seed 100."""
TUNED_ON = (100,)


def batches(seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless metros of 2 to 6 stations, with four questions each for the next station on a shortest path."""
    generator = torch.Generator().manual_seed(1_000 + seed)
    while True:
        size = int(torch.randint(2, 7, (), generator=generator))
        yield journeys.shortest(BATCH, size, min(2, size - 1), generator=generator)


@recipe
class JourneyRecipe:
    """A DNC, or an LSTM, of the sizes that traverse a metro, on shortest paths."""

    kind: Literal["whole", "lstm"] = "whole"
    seed: Seed = 0
    steps: Positive = STEPS
    rate: PositiveFloat = RATE

    def train(self) -> tuple[nn.Module, History]:
        """Train from the start, with a rate that rises and falls to zero."""
        model = build("traversal", self.kind, self.seed)
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        history = fit(
            model,
            cost,
            batches(self.seed),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label=f"shortest paths, {self.kind}, seed {self.seed}",
        )
        return model.eval(), history


@torch.no_grad()
def arrivals(model: nn.Module, rides: Tensor, here: Tensor, goal: Tensor, slots: int | None = None) -> float:
    """The share of journeys that reach their goal on a shortest path, whichever; one a metro, asked ride by ride.

    At each station that it has answered the model is told the metro and asked again, until it arrives or leaves the
    shortest paths.
    """
    arrived = torch.zeros(len(here), dtype=torch.bool)
    going = torch.arange(len(here))  # the metros where it is still on its way
    for _ in range(journeys.FAR):
        station = model(journeys.ask(rides[going], here[going], goal[going]), slots)[0][:, -1:].argmax(dim=2)
        right = journeys.onward(rides[going], here[going], goal[going]).gather(2, station[..., None]).flatten()
        here = here.index_copy(0, going, station)
        arrived[going] = right & (here == goal)[going, 0]
        going = going[right & (here != goal)[going, 0]]
        if not len(going):
            break
    return arrived.float().mean().item()
