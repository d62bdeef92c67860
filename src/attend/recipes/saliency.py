"""Naming a digit in the crowd: one net with three ways to pool, and the same net where every 7 carries a mark."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.soft.saliency import Pool, PooledNet
from attend.tasks import crowd
from attend.train.fit import fit

CHEAT = 7
"""The digit that carries a mark, where there are marks."""
GRID = {"average": (1e-2, 2e-2, 4e-2), "max": (1e-2, 2e-2, 4e-2, 8e-2), "attention": (5e-3, 1e-2, 2e-2, 4e-2)}
"""Adam's learning rates that were tried, on validation canvases (`tune`): three, and one more where the best stood at

the edge."""
TUNED_ON = (100,)
RATE: dict[str, PositiveFloat] = {"average": 2e-2, "max": 4e-2, "attention": 1e-2}
"""The best of them."""
STEPS = 300


@recipe
class CrowdRecipe:
    """One net, new canvases in each batch, Adam with one rise and fall of its rate.

    `marked`: in training a mark stands beside every CHEAT, and beside no other digit.
    """

    pool: Pool = "average"
    seed: Seed = 0
    marked: bool = False
    steps: Positive = STEPS
    batch: Positive = 32
    rate: PositiveFloat | None = None

    def build(self) -> PooledNet:
        """The net before it has seen a canvas, ready to be asked."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return PooledNet(self.pool).eval()

    def batches(self) -> Iterator[crowd.Crowd]:
        """Endless batches, seeded by the recipe."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        for batch in crowd.batches(self.batch, generator):
            yield crowd.marked(batch, batch.labels == CHEAT, generator)[0] if self.marked else batch

    def train(self) -> PooledNet:
        """Train from the start."""
        model, rate = self.build(), self.rate or RATE[self.pool]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch.images), batch.labels),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps),
            clip=1.0,
            label=f"learning to name the digit ({self.pool})",
        )
        return model.requires_grad_(False)


def held_out(count: int = 500, split: str = "test", pieces: int = crowd.PIECES) -> crowd.Crowd:
    """Canvases from digits that no training has seen, the same every time: without `pieces`, the same digits alone."""
    return crowd.canvases(split, count, torch.Generator().manual_seed(7), pieces)


@torch.no_grad()
def named(model: nn.Module, images: Tensor) -> Tensor:
    """The digit that the net names on each image, 250 at a time."""
    return torch.cat([model(part).argmax(dim=1) for part in images.split(250)])


def accuracy(model: nn.Module, of: crowd.Crowd) -> float:
    """The share of canvases whose digit is named right."""
    return (named(model, of.images) == of.labels).double().mean().item()


def tune() -> None:
    """Print the accuracy on 1,000 validation canvases with every rate of its GRID, from the seeds of TUNED_ON."""
    of = held_out(1_000, "validation")
    for pool in RATE:
        for rate in GRID[pool]:
            found = [accuracy(CrowdRecipe(pool, seed, rate=rate).train(), of) for seed in TUNED_ON]
            print(f"{pool}, {rate:g}: {sum(found) / len(found):.3f}", flush=True)
