"""What the RNNs of the page on what can be taught are measured beside: models that count words and characters."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from attend.core.expect import expect, recipe
from attend.core.types import PositiveFloat
from attend.recipes.plays import BURN_IN
from attend.tasks import plays, reviews

STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@recipe
class WordCounts:
    """Words and pairs of words, weighted by TF-IDF, and logistic regression; order is lost but for the pairs.

    Where `known` names some words, these are counted alone, and no pairs.
    """

    costs: tuple[PositiveFloat, ...] = (1.0, 4.0, 10.0, 30.0)
    known: tuple[str, ...] = ()

    def right(self, part: str = "test") -> np.ndarray:
        """Which of one part's reviews it gets right, (B); its penalty is chosen on the validation part."""
        label = {name: [review.rating > 0 for review in reviews.load(name)] for name in ("train", "validation", part)}
        text = {name: [review.text for review in reviews.load(name)] for name in label}
        counted = {"vocabulary": self.known} if self.known else {"ngram_range": (1, 2)}
        counter = TfidfVectorizer(tokenizer=reviews.words, token_pattern=None, sublinear_tf=True, **counted)
        columns = {"train": counter.fit_transform(text["train"])}
        columns |= {name: counter.transform(text[name]) for name in label if name != "train"}
        fitted = [LogisticRegression(C=C, solver="liblinear").fit(columns["train"], label["train"]) for C in self.costs]
        best = max(fitted, key=lambda model: model.score(columns["validation"], label["validation"]))
        return best.predict(columns[part]) == np.array(label[part])


class NGram:
    """A character predicted from the `order` - 1 before it, by counting; each order falls back on the one below.

    p(character | context) = (count + λ k p_lower) / (total + λ k), with k the number of different characters seen after
    the context (Witten & Bell 1991 have λ = 1); below the first order all characters are alike. λ is chosen on the
    validation part. Raises ValueError for an order outside 1 to 8.
    """

    def __init__(self, order: int):
        expect(1 <= order <= 8, "order", order, "a whole number from 1 to 8")
        self.V, self.order = len(plays.ALPHABET), order
        tokens = plays.stream("train").numpy()
        self.tables = [self._table(self._codes(tokens, k)) for k in range(order)]
        pages = plays.pages("validation").numpy()
        self.strength = min(STRENGTHS, key=lambda strength: -np.log(self._probs(pages, strength)).mean())

    @property
    def size(self) -> int:
        """How many different runs of `order` characters it keeps a count of."""
        return len(self.tables[-1][0])

    def bits(self, part: str = "test") -> float:
        """Bits per character on the pages of one part: the characters that the RNN is scored on."""
        return float(-np.log2(self.probs(plays.pages(part).numpy())).mean())

    def probs(self, pages: np.ndarray) -> np.ndarray:
        """The probability that it gave to each character of `pages` (R, T) but the first BURN_IN."""
        return self._probs(pages, self.strength)

    def _probs(self, pages: np.ndarray, strength: float) -> np.ndarray:
        probs = np.full(pages[:, BURN_IN:].shape, 1 / self.V)
        for k, (seen, counts, contexts, totals, kinds) in enumerate(self.tables):
            codes = self._codes(pages, k)[:, BURN_IN - k :]
            count = _look_up(codes, seen, counts)
            total = _look_up(codes // self.V, contexts, totals)
            weight = strength * _look_up(codes // self.V, contexts, kinds)
            probs = np.where(total > 0, (count + weight * probs) / np.maximum(total + weight, 1), probs)
        return probs

    def _codes(self, tokens: np.ndarray, k: int) -> np.ndarray:
        """Each run of k + 1 characters as one whole number, the last character in its lowest place."""
        T = tokens.shape[-1] - k
        return sum(tokens[..., i : i + T].astype(np.int64) * self.V ** (k - i) for i in range(k + 1))

    def _table(self, codes: np.ndarray) -> tuple[np.ndarray, ...]:
        seen, counts = np.unique(codes, return_counts=True)
        contexts, first, kinds = np.unique(seen // self.V, return_index=True, return_counts=True)
        return seen, counts, contexts, np.add.reduceat(counts, first), kinds


def _look_up(codes: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value that belongs to each code, 0 where the code is not known."""
    places = np.searchsorted(known, codes).clip(max=len(known) - 1)
    return np.where(known[places] == codes, values[places], 0)
