"""Whose face is it? Readers of a list of faces and numbers: soft attention, Gaussian kernels, and a GRU."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.gru import GRU
from attend.recipes.many_to_one import ManyToOne
from attend.soft.read import SoftAttention, read
from attend.tasks import faces
from attend.tasks.faces import Faces
from attend.train.fit import fit

Reader = Literal["attention", "positions", "gru"]
READERS: tuple[str, ...] = get_args(Reader)
"""Soft attention; the same, with the number of the meeting in each key; a GRU that reads the list, then the query."""
SIZE = faces.LASTING + faces.PASSING
LENGTHS = (1, 2, 4, 8, 16, 32, 64)
"""Lists on which readers are judged."""
LONGEST = 16
"""The longest list of the training."""
GRID = (1e-3, 3e-3, 1e-2)
TUNED_ON = (100, 101)
RATE: dict[str, float] = {"attention": 3e-3, "positions": 3e-3, "gru": 1e-3}
"""Adam's rate for each reader: the best of GRID on the seeds of TUNED_ON (`tune`)."""
PRECISIONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""What is tried for a Gaussian kernel that takes all numbers of a face alike."""


class Attentive(nn.Module):
    """Soft attention over one-hot numbers, so that the context is a probability for each; `positions` in the keys."""

    def __init__(self, positions: bool):
        super().__init__()
        self.positions = positions
        self.attention = SoftAttention(SIZE + positions, SIZE + positions, width=8)

    def forward(self, batch: Faces) -> Tensor:
        """Probabilities (B, 10)."""
        query, key = batch.query, batch.key
        if self.positions:
            B, S, _ = key.shape
            query = torch.cat([query, torch.ones(B, 1, 1)], dim=2)
            key = torch.cat([key, torch.linspace(0, 1, S).expand(B, S)[:, :, None]], dim=2)
        return self.attention(query, key, batch.value).context[:, 0]


class Recurrent(nn.Module):
    """A GRU that reads one face with its number a step, and at last the query, marked by a 1."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.network = ManyToOne(fast(GRU(SIZE + faces.DIGITS + 1, hidden_size)), faces.DIGITS)

    def forward(self, batch: Faces) -> Tensor:
        """Probabilities (B, 10)."""
        met = F.pad(torch.cat([batch.key, batch.value], dim=2), (0, 1))
        asked = F.pad(F.pad(batch.query, (0, faces.DIGITS)), (0, 1), value=1.0)
        return self.network(torch.cat([met, asked], dim=1)).softmax(dim=1)


def cost(model: nn.Module, batch: Faces) -> Tensor:
    """The negative log-likelihood of the right number; the constant keeps an underflow from an infinite one."""
    return F.nll_loss((model(batch) + 1e-9).log(), batch.answer)


@recipe
class FacesRecipe:
    """A reader of lists of 1 to LONGEST faces; `twice`: each person is met twice, and the latest number counts."""

    reader: Reader = "attention"
    twice: bool = False
    seed: NonNegative = 0
    steps: Positive = 1_000
    rate: PositiveFloat | None = None
    hidden_size: Positive = 128

    def build(self) -> nn.Module:
        """The reader at initialisation."""
        torch.manual_seed(self.seed)
        return Recurrent(self.hidden_size) if self.reader == "gru" else Attentive(self.reader == "positions")

    def sample(self, batch: int, length: int, generator: torch.Generator) -> Faces:
        """New lists of so many faces; `twice`, of half as many people."""
        if self.twice:
            return faces.sample_twice(batch, max(length // 2, 1), generator)
        return faces.sample(batch, length, generator)

    def batches(self) -> Iterator[Faces]:
        """Endless lists, all lengths equally likely, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            length = int(torch.randint(1, LONGEST + 1, (), generator=generator))
            yield self.sample(64, length, generator)

    def train(self, callbacks=()) -> nn.Module:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            cost,
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.reader]),
            clip=1.0,
            callbacks=callbacks,
            label=f"faces, {self.reader}, seed {self.seed}",
        )
        return model

    def judging(self, length: Positive) -> Faces:
        """2,000 new lists of so many faces."""
        return self.sample(2_000, length, torch.Generator().manual_seed(2_000 + self.seed))

    @torch.no_grad()
    def accuracy(self, model: nn.Module, length: Positive) -> float:
        """The share of right numbers on new lists of this length."""
        batch = self.judging(length)
        return right(model(batch), batch)

    @torch.no_grad()
    def kernel(self, precision: Tensor, length: Positive) -> float:
        """The same for a Gaussian kernel, nothing of which is learned."""
        batch = self.judging(length)
        scores = faces.gaussian(batch.query, batch.key, precision)
        return right(read(scores, batch.value).context[:, 0], batch)


def right(probabilities: Tensor, batch: Faces) -> float:
    """The share of lists where the likeliest number is the right one."""
    return (probabilities.argmax(dim=1) == batch.answer).double().mean().item()


def widest() -> float:
    """The best of PRECISIONS for a kernel that takes all numbers of a face alike, on the seeds of TUNED_ON."""
    recipes = [FacesRecipe(seed=seed) for seed in TUNED_ON]
    found = {p: sum(r.kernel(torch.full((SIZE,), p), 8) for r in recipes) for p in PRECISIONS}
    return max(found, key=found.__getitem__)


def tune() -> None:
    """Print, for each reader and rate of GRID, the share of right numbers in lists of 8 on the seeds of TUNED_ON."""
    for reader, twice in (("attention", False), ("gru", False), ("attention", True), ("positions", True)):
        for rate in GRID:
            recipes = [FacesRecipe(reader, twice, seed, rate=rate) for seed in TUNED_ON]
            found = [recipe.accuracy(recipe.train(), 8) for recipe in recipes]
            print(f"{reader}{', twice' * twice}, {rate:g}: {sum(found) / len(found):.4f}", flush=True)
    print("precision", widest())
