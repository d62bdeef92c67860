"""One look by one head or several: which letters stand around each step, with places known in three ways."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy
from attend.tasks import neighbours, numbers, pairs, translation
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle
from attend.transformers.block import Think
from attend.transformers.multihead import MultiHead
from attend.transformers.position import Learned, sinusoids
from attend.transformers.translator import POSITIONS

DATA = ("recipes/weights/heads.json",)
SEEDS = (0, 1, 2)
HELD_OUT = 1_000


class Reporter(nn.Module):
    """Letters and places, one look by K heads, and a linear answer with a letter for each of `offsets`.

    With `think` a network of two layers stands between the look and the answer, beside what was read. `positions` is
    "sinusoids", "learned" (for T places) or "none".
    """

    @checked
    def __init__(
        self,
        K: int = 2,
        D: int = 32,
        T: int = 12,
        offsets: tuple[int, ...] = neighbours.BESIDE,
        positions: str = "sinusoids",
        think: bool = False,
        generator: torch.Generator | None = None,
    ):
        expect(T > 0, "T", T, "a positive whole number")
        expect(positions in POSITIONS, "positions", positions, f"one of {', '.join(POSITIONS)}")
        super().__init__()
        self.D, self.offsets, self.positions = D, offsets, positions
        self.embed = embedding_(nn.Embedding(neighbours.LETTERS, D), generator=generator)
        self.heads = MultiHead(D, K, generator=generator)
        self.answer = linear_(nn.Linear(D, len(offsets) * neighbours.LETTERS), generator)
        self.think = Think(D, 4 * D, generator) if think else None
        self.placed = Learned(T, D, generator) if positions == "learned" else None

    @checked
    def vectors(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """What the heads look at: each letter's vector and its place's, added. Learned places may run out."""
        x, T = self.embed(letters), letters.shape[1]
        if self.placed is not None:
            return x + self.placed(T)
        return x + sinusoids(T, self.D).to(x) if self.positions == "sinusoids" else x

    @checked
    def forward(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B U O V"]:
        """Logits of the letter at each of the O offsets, from every inner step."""
        x = self.vectors(letters)
        said = self.heads(x, x)
        if self.think is not None:
            said = said + self.think(said)
        inner = neighbours.inner(letters.shape[1], self.offsets)
        return self.answer(said[:, inner]).unflatten(2, (len(self.offsets), -1))

    @checked
    def looks(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B K T T"]:
        """Where each head looks from each step."""
        x = self.vectors(letters)
        return self.heads.look(x, self.heads.remember(x))[1]


@dataclass(frozen=True)
class HeadsRecipe:
    """A Reporter, taught new rows of T letters at each step of Adam, with one rise and fall of its rate.

    Steps, widths and rates were set with seeds 5 and 6.
    """

    K: int = 2
    seed: int = 0
    positions: str = "sinusoids"
    think: bool = False
    offsets: tuple[int, ...] = neighbours.BESIDE
    T: int = 12
    D: int = 32
    steps: int = 300
    batch: int = 64
    rate: float = 0.01

    def build(self) -> Reporter:
        """The reporter with its first random weights."""
        sizes = (self.K, self.D, self.T, self.offsets, self.positions, self.think)
        return Reporter(*sizes, generator=torch.Generator().manual_seed(self.seed))

    def batches(self) -> Iterator[Tensor]:
        """Endless new rows, the same for all reporters of one seed."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield neighbours.sample(self.batch, self.T, generator)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Reporter, History]:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        schedule = one_cycle(optimiser, self.steps)
        history = fit(
            model,
            cost,
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            callbacks=callbacks,
            label="reporting neighbours",
        )
        return model.requires_grad_(False), history


def cost(model: Reporter, letters: Tensor) -> Tensor:
    """The mean surprise at a right letter, in nats."""
    return cross_entropy(model(letters).flatten(0, 2), neighbours.answers(letters, model.offsets).flatten())


@torch.no_grad()
def right(model: Reporter, T: int = 12) -> Tensor:
    """Which answers are right, (rows, inner steps, offsets), on rows of T letters that are the same for every model."""
    letters = neighbours.sample(HELD_OUT, T, torch.Generator().manual_seed(1_000_000))
    return model(letters).argmax(dim=3) == neighbours.answers(letters, model.offsets)


def whole(model: Reporter, T: int = 12) -> float:
    """The share of inner steps whose answer is right at every offset."""
    return right(model, T).all(dim=2).double().mean().item()


def around(K: int, seed: int = 0) -> HeadsRecipe:
    """Four letters to report, with a network behind the look; the rest as for two."""
    return HeadsRecipe(K, seed, think=True, offsets=neighbours.AROUND, steps=800)


def translating(positions: str, seed: int = 0) -> TransformerRecipe:
    """A Transformer for numbers of up to nine digits, taught 1,500 of them; only `positions` differs."""
    sizes = {"D": 64, "K": 4, "F": 256, "N": 2, "Q": 16, "R": 16, "order": "before"}
    taught = {"drop": 0.1, "smoothing": 0.1, "rate": 4e-3, "warm": 200, "fall": "zero"}
    of = {"digits": 9, "most": 1_500, "batch": 64}
    return TransformerRecipe(seed=seed, steps=700, positions=positions, **sizes, **taught, **of)


@torch.no_grad()
def exact(model: nn.Module, of: tuple[int, ...]) -> float:
    """The share of the numbers `of` that are translated without a mistake."""
    asked = translation.encode(of)
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1])
    return pairs.exact(written.tokens, asked.target, asked.asked).double().mean().item()


def measured() -> dict[str, Any]:
    """What `export` measured, a value for each of SEEDS.

    `around`: by number of heads, `whole` and the mean `seconds` of processor time. `translation`: by `positions`, the
    share of `exact` translations of the test part, and the `seconds`.
    """
    return read_record(WEIGHTS / "heads.json")


def export() -> None:
    """Train the reporters of four letters and the translators without and with places; five minutes on one core."""
    torch.set_num_threads(1)
    test = numbers.numbers("test", 9)
    found: dict[str, Any] = {"around": {}, "translation": {}, "torch": torch.__version__}
    for seed in SEEDS:
        for K in (1, 4):
            model, seconds = _timed(around(K, seed))
            _note(found["around"].setdefault(str(K), {}), whole=whole(model), seconds=seconds)
        for positions in ("none", "sinusoids"):
            model, seconds = _timed(translating(positions, seed))
            _note(found["translation"].setdefault(positions, {}), exact=exact(model, test), seconds=seconds)
        print(f"seed {seed}: {found}", flush=True)
        write_record(WEIGHTS / "heads.json", found)


def _timed(recipe: HeadsRecipe | TransformerRecipe) -> tuple[nn.Module, float]:
    began = time.process_time()
    model, _ = recipe.train()
    return model, time.process_time() - began


def _note(row: dict[str, list[float]], **values: float) -> None:
    for name, value in values.items():
        row.setdefault(name, []).append(float(f"{value:.4g}"))
