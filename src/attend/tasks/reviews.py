"""One label a sequence: snippets of real film reviews, rated by people, to be called kind or unkind."""

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from attend.core.expect import checked, expect
from attend.tasks.data import path
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/reviews.tsv.gz",)
UNKNOWN = 0
"""The token of every word that the vocabulary lacks."""
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[!?.,;:]")


class Review(NamedTuple):
    """A snippet and the mean rating of twenty readers or more, from -4 to 4; none lies between -1 and 1."""

    text: str
    rating: float


class Batch(NamedTuple):
    """Reviews as numbers: `tokens` and `mask` (B, T), `kind` (B), 1 for a kind review and 0 for an unkind one."""

    tokens: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    kind: Float[Tensor, "B"]


@checked
@cache
def load(part: str) -> tuple[Review, ...]:
    """The reviews of one part ("train", "validation" or "test"), in the order of the file."""
    wanted = known_part(part)
    lines = gzip.decompress(path("reviews.tsv.gz").read_bytes()).decode().splitlines()
    pairs = (line.split("\t") for line in lines)
    return tuple(Review(text, float(rating)) for rating, text in pairs if part_of(text.lower()) == wanted)


@checked
def words(text: str) -> list[str]:
    """The words of `text` in lower case, with its numbers and stops: `It isn't!` becomes it, isn't, !."""
    return _words(text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


@checked
@cache
def vocabulary(V: int) -> tuple[str, ...]:
    """The V - 1 most frequent words of the training reviews, after a first entry "…" for all others."""
    expect(V > 1, "V", V, "a whole number above 1")
    counts = Counter(word for review in load("train") for word in _words(review.text))
    return ("…", *(word for word, _ in counts.most_common(V - 1)))


@checked
def encode(texts: list[str], vocabulary: tuple[str, ...]) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """The tokens of `texts`, padded on the right to one length, and the mask of what is really there."""
    known = {word: token for token, word in enumerate(vocabulary)}
    rows = [[known.get(word, UNKNOWN) for word in _words(text)] for text in texts]
    expect(bool(rows) and all(rows), "texts", texts, "at least one text, each with a word in it")
    T = max(map(len, rows))
    tokens = torch.tensor([row + [UNKNOWN] * (T - len(row)) for row in rows])
    return tokens, torch.arange(T) < torch.tensor([[len(row)] for row in rows])


@checked
def whole(part: str, vocabulary: tuple[str, ...]) -> Batch:
    """All reviews of one part as one batch."""
    reviews = load(part)
    kind = torch.tensor([float(review.rating > 0) for review in reviews])
    return Batch(*encode([review.text for review in reviews], vocabulary), kind)


@checked
def batches(vocabulary: tuple[str, ...], B: int, hide: float, generator: torch.Generator) -> Iterator[Batch]:
    """Endless shuffled batches of B training reviews; each word turns unknown with probability `hide`.

    Hidden words teach the model what "unknown" means, and keep it from learning reviews by heart.
    """
    expect(B > 0, "B", B, "a positive whole number")
    expect(0 <= hide < 1, "hide", hide, "a probability below 1")
    return _shuffled(whole("train", vocabulary), B, hide, generator)


def _shuffled(everything: Batch, B: int, hide: float, generator: torch.Generator) -> Iterator[Batch]:
    while True:
        for rows in torch.randperm(len(everything.kind), generator=generator).split(B):
            tokens, mask, kind = (column[rows] for column in everything)
            T = int(mask.sum(1).max())
            hidden = torch.rand(len(rows), T, generator=generator) < hide
            yield Batch(tokens[:, :T].masked_fill(hidden, UNKNOWN), mask[:, :T], kind)


@checked
def cost(logit: Float[Tensor, "B"], kind: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a review, of verdicts given as log-odds of "kind"."""
    return binary_cross_entropy_with_logits(logit, kind)


@checked
def accuracy(logit: Float[Tensor, "B"], kind: Float[Tensor, "B"]) -> float:
    """The share of reviews whose verdict is right."""
    return ((logit > 0) == (kind > 0.5)).double().mean().item()


@checked
def example(part: str = "train") -> str:
    """The first kind and the first unkind review of a part, with their ratings, to read."""
    kind = next(review for review in load(part) if review.rating > 0)
    unkind = next(review for review in load(part) if review.rating < 0)
    return "\n".join(f"{review.rating:+.1f}  {review.text}" for review in (kind, unkind))
