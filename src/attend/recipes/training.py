"""The next letter of a word: a neural n-gram model, trained on all words or few, with a mask or without; and counts."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.memory.training import NextToken
from attend.tasks import words
from attend.train.fit import fit

V = len(words.ALPHABET)
K = 4
"""How many letters every model may look at."""
TUNED_ON = (0, 1, 2)
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
EVERY = 25
"""So many steps from one look at the validation words to the next."""


@torch.no_grad()
def bits(model: NextToken, x: Tensor, y: Tensor) -> float:
    """The cross-entropy in bits a letter."""
    return cross_entropy(model(x), y).item() / math.log(2)


@recipe
class WordsRecipe:
    """Embeddings of the last four letters, a hidden layer, Adam with a learning rate that falls to zero."""

    seed: NonNegative = 0
    count: NonNegative = 0
    """How many training words, drawn by the seed; 0 for all."""
    width: Positive = 16
    hidden_size: Positive = 128
    steps: Positive = 2_000
    rate: PositiveFloat = 1e-2
    batch: Positive = 256

    def words(self) -> list[str]:
        """The words that it is trained on."""
        every = words.load("train")
        order = torch.randperm(len(every), generator=torch.Generator().manual_seed(1_000 + self.seed))
        return [every[i] for i in order[: self.count or None].tolist()]

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless batches, drawn with replacement."""
        x, y = words.examples(self.words(), K)
        generator = torch.Generator().manual_seed(2_000 + self.seed)
        while True:
            rows = torch.randint(len(x), (min(self.batch, len(x)),), generator=generator)
            yield x[rows], y[rows]

    def train(self, callbacks=()) -> NextToken:
        """Train from the start."""
        torch.manual_seed(self.seed)
        model = NextToken(V, K, self.width, self.hidden_size)
        _fit(model, lambda model, batch: cross_entropy(model(batch[0]), batch[1]), self, callbacks)
        return model

    def stopped(self) -> tuple[float, NextToken, NextToken]:
        """The least validation loss that was met, in bits, the model of that moment, and the one of the last step."""
        x, y = words.examples(words.load("validation"), K)
        least, best = math.inf, {}

        def look(now) -> None:
            nonlocal least, best
            if now.step % EVERY == 0 and (found := bits(now.model, x, y)) < least:
                least, best = found, {name: value.clone() for name, value in now.model.state_dict().items()}

        last = self.train(callbacks=[look])
        early = NextToken(V, K, self.width, self.hidden_size)
        early.load_state_dict(best)
        return least, early, last


@recipe
class RowsRecipe:
    """The same net on batches of 32 whole words, padded to the longest; the loss counts the padding or does not."""

    masked: bool = True
    seed: NonNegative = 0
    steps: Positive = 800
    rate: PositiveFloat = 1e-2
    batch: Positive = 32

    def batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Endless batches of words, cut to the longest of each."""
        before, comes, mask = words.rows(words.load("train"), K)
        generator = torch.Generator().manual_seed(2_000 + self.seed)
        while True:
            rows = torch.randint(len(mask), (self.batch,), generator=generator)
            T = int(mask[rows].sum(1).max())
            yield before[rows, :T], comes[rows, :T], mask[rows, :T]

    def loss(self, model: NextToken, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """The mean cross-entropy, over letters or over all places of the table."""
        before, comes, mask = batch
        counted = mask if self.masked else torch.ones_like(mask)
        return cross_entropy(model(before)[counted], comes[counted])

    def train(self, callbacks=()) -> tuple[NextToken, float]:
        """The model, and the loss in bits that the last hundred steps reported."""
        torch.manual_seed(self.seed)
        model = NextToken(V, K, 16, 128)
        losses = _fit(model, self.loss, self, callbacks)[-100:]
        return model, sum(losses) / len(losses) / math.log(2)


def _fit(model: NextToken, loss, recipe: WordsRecipe | RowsRecipe, callbacks) -> list[float]:
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, recipe.steps)
    told = {"optimiser": optimiser, "schedule": schedule, "callbacks": callbacks, "label": "next letter"}
    return fit(model, loss, recipe.batches(), steps=recipe.steps, **told).losses


class Counts:
    """How often each letter follows the last 0, 1, … K letters, and two ways to make probabilities of it."""

    def __init__(self, of: list[str]):
        x, y = words.examples(of, K)
        self.tables = [self._table(_code(x, k), y) for k in range(K + 1)]

    def table_bits(self, x: Tensor, y: Tensor, k: int, alpha: float) -> float:
        """Bits a letter of one table: (count + alpha) / (total + alpha V) after the last k letters."""
        count, total, _ = self._look_up(x, y, k)
        return -((count + alpha) / (total + alpha * V)).log2().mean().item()

    def fallback_bits(self, x: Tensor, y: Tensor, k: int, strength: float) -> float:
        """Bits a letter where every length falls back on the one below, by Witten & Bell 1991 (strength 1).

        p_k = (count + s kinds p_{k-1}) / (total + s kinds), with the number of different letters seen after the
        context; below no letters at all, every letter is alike.
        """
        p = torch.full((len(y),), 1 / V, dtype=torch.float64)
        for length in range(k + 1):
            count, total, kinds = self._look_up(x, y, length)
            weight = strength * kinds
            p = torch.where(total > 0, (count + weight * p) / (total + weight).clamp_min(1), p)
        return -p.log2().mean().item()

    def best_table(self, x: Tensor, y: Tensor) -> tuple[int, float]:
        """The length and the alpha of the table that needs the fewest bits for these examples."""
        settings = [(k, alpha) for k in range(K + 1) for alpha in ALPHAS]
        return min(settings, key=lambda setting: self.table_bits(x, y, *setting))

    def best_fallback(self, x: Tensor, y: Tensor) -> tuple[int, float]:
        """The length and the strength of the fallback that needs the fewest bits for these examples."""
        settings = [(k, strength) for k in range(K + 1) for strength in STRENGTHS]
        return min(settings, key=lambda setting: self.fallback_bits(x, y, *setting))

    @staticmethod
    def _table(code: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        pairs, count = torch.unique(code * V + y, return_counts=True)
        contexts, kinds = torch.unique(pairs // V, return_counts=True)
        _, total = torch.unique(code, return_counts=True)
        return pairs, count, contexts, total, kinds

    def _look_up(self, x: Tensor, y: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor]:
        pairs, count, contexts, total, kinds = self.tables[k]
        code = _code(x, k)
        return _find(code * V + y, pairs, count), _find(code, contexts, total), _find(code, contexts, kinds)


def _code(x: Tensor, k: int) -> Tensor:
    """The last k letters of each context as one whole number."""
    return (x[:, x.shape[1] - k :] * V ** torch.arange(k - 1, -1, -1)).sum(1)


def _find(codes: Tensor, known: Tensor, values: Tensor) -> Tensor:
    """The value that belongs to each code, 0 where the code is not known."""
    places = torch.searchsorted(known, codes).clamp_max(len(known) - 1)
    return torch.where(known[places] == codes, values[places], 0).double()
