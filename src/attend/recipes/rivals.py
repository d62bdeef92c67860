"""What the taught units are measured beside: models that count words and letters, and a dictionary."""

from functools import cache

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from attend.core.expect import recipe
from attend.core.types import PositiveFloat
from attend.recipes.plays import BURN_IN
from attend.tasks import numbers, plays, reviews

STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@recipe
class LinearRival:
    """Words and pairs of words, weighted by TF-IDF, and logistic regression; order is lost but for the pairs."""

    costs: tuple[PositiveFloat, ...] = (1.0, 4.0, 10.0, 30.0)

    def measure(self, part: str = "test") -> float:
        """The share of one part's reviews that it gets right; its penalty is chosen on validation."""
        kind = {name: [review.rating > 0 for review in reviews.load(name)] for name in ("train", "validation", part)}
        text = {name: [review.text for review in reviews.load(name)] for name in kind}
        counter = TfidfVectorizer(tokenizer=reviews.words, token_pattern=None, ngram_range=(1, 2), sublinear_tf=True)
        columns = {"train": counter.fit_transform(text["train"])}
        columns |= {name: counter.transform(text[name]) for name in kind if name != "train"}
        fitted = [LogisticRegression(C=C, solver="liblinear").fit(columns["train"], kind["train"]) for C in self.costs]
        best = max(fitted, key=lambda model: model.score(columns["validation"], kind["validation"]))
        return float(best.score(columns[part], kind[part]))


class NGram:
    """A letter foretold from the `order` - 1 letters before it, by counting; each order falls back on the one below.

    p(letter | context) = (count + λ k p_lower) / (total + λ k), with k the number of different letters seen after the
    context (Witten & Bell 1991 have λ = 1); below the first order all letters are alike. λ is chosen on validation.
    Raises ValueError for an order outside 1 to 8.
    """

    def __init__(self, order: int):
        if not 1 <= order <= 8:
            raise ValueError(f"order: got {order!r}, expected a whole number from 1 to 8")
        self.V, self.order = len(plays.ALPHABET), order
        letters = plays.stream("train").numpy()
        self.tables = [self._table(self._codes(letters, k)) for k in range(order)]
        self.strength = min(STRENGTHS, key=lambda strength: self._perplexity("validation", strength))

    def measure(self, part: str = "test") -> float:
        """The perplexity a character on the pages of one part: the characters that the recurrent model is scored on."""
        return self._perplexity(part, self.strength)

    def _perplexity(self, part: str, strength: float) -> float:
        pages = plays.pages(part).numpy()
        chance = np.full(pages[:, BURN_IN:].shape, 1 / self.V)
        for k, (seen, counts, contexts, totals, kinds) in enumerate(self.tables):
            codes = self._codes(pages, k)[:, BURN_IN - k :]
            count = _look_up(codes, seen, counts)
            total = _look_up(codes // self.V, contexts, totals)
            weight = strength * _look_up(codes // self.V, contexts, kinds)
            chance = np.where(total > 0, (count + weight * chance) / np.maximum(total + weight, 1), chance)
        return float(np.exp(-np.log(chance).mean()))

    def _codes(self, letters: np.ndarray, k: int) -> np.ndarray:
        """Each run of k + 1 letters as one whole number, the last letter in its lowest place."""
        T = letters.shape[-1] - k
        return sum(letters[..., i : i + T].astype(np.int64) * self.V ** (k - i) for i in range(k + 1))

    def _table(self, codes: np.ndarray) -> tuple[np.ndarray, ...]:
        seen, counts = np.unique(codes, return_counts=True)
        contexts, first, kinds = np.unique(seen // self.V, return_index=True, return_counts=True)
        return seen, counts, contexts, np.add.reduceat(counts, first), kinds


def _look_up(codes: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value that belongs to each code, 0 where the code is not known."""
    places = np.searchsorted(known, codes).clip(max=len(known) - 1)
    return np.where(known[places] == codes, values[places], 0)


def word_for_word(n: int) -> tuple[str, ...]:
    """The number in German by a dictionary that keeps the English order: forty-two becomes vier, zig, zwei.

    It knows what each word is by itself, that "and" is not translated, and that "one" is eins at the end, ein before
    it.
    """
    words = numbers.english(n)
    return tuple(piece for i, word in enumerate(words) for piece in _entry(word, last=i == len(words) - 1))


def _entry(word: str, last: bool) -> tuple[str, ...]:
    if word == "one" and not last:
        return ("ein",)
    return {"and": (), "hundred": ("hundert",), "thousand": ("tausend",)}.get(word) or _alone().get(word, ())


@cache
def _alone() -> dict[str, tuple[str, ...]]:
    """What each English word is in German when it is the whole number."""
    return {numbers.english(n)[0]: numbers.german(n) for n in (*range(21), *range(30, 100, 10))}
