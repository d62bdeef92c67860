"""IBM Model 1: a table of word pairs, learned by counting where each word looks.

Source   Brown et al. 1993, The mathematics of statistical machine translation, section 4.1 (looking and counting by
         turns); Dyer et al. 2013, A simple, fast, and effective reparameterization of IBM Model 2 (nearness).
Departs  a small number is added to every count, so that no pair is impossible.
Agrees   a sum over all ways to link two sentences, one by one (tests/soft/test_lexicon.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.soft.read import weigh

_LEAST = 1e-30


@checked
def start(target_V: int, source_V: int) -> Float[Tensor, "V U"]:
    """The table that knows nothing: each of `target_V` words is equally likely beside each of `source_V`."""
    expect(target_V > 1, "target_V", target_V, "a whole number above 1")
    expect(source_V > 1, "source_V", source_V, "a whole number above 1")
    return torch.full((target_V, source_V), 1 / target_V)


@checked
def said(
    table: Float[Tensor, "V U"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
) -> Float[Tensor, "B T S"]:
    """What `table`, p(target word | source word), says of each pair of words in a sentence and its translation.

    Raises ValueError for tokens that the table lacks.
    """
    _tokens(table, source, target)
    return table[target[:, :, None], source[:, None]]


@checked
def look(
    table: Float[Tensor, "V U"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Bool[Tensor, "B S"],
    prior: Float[Tensor, "B T S"] | None = None,
) -> Float[Tensor, "B T S"]:
    """How likely each target word comes from each source word: attention whose scores are read from `table`.

    `prior` are scores to add, what was known before the word was seen. A softmax of logarithms is Bayes' rule, and
    this is the first half of a round of EM. Raises ValueError for tokens that the table lacks, probabilities that are
    negative, and a row of `mask` that may look nowhere.
    """
    likely = said(table, source, target)
    fits = bool((likely >= 0).all())
    expect(fits, "table", table, "probabilities, none of them negative")
    scores = likely.clamp(min=_LEAST).log()
    return weigh(scores if prior is None else scores + prior, mask)


@checked
def tally(
    weights: Float[Tensor, "B T S"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    asked: Bool[Tensor, "B T"],
    table: Float[Tensor, "V U"],
    smoothing: float = 1e-3,
) -> Float[Tensor, "V U"]:
    """A new table of the shape of `table`, from where the words looked: the second half of a round of EM.

    Each asked word hands out one count, in shares as its weights say; each column then adds up to one. `smoothing` is
    added to every count.
    """
    expect(0 < smoothing < float("inf"), "smoothing", smoothing, "a positive number")
    _tokens(table, source, target)
    V, U = table.shape
    cells = target[:, :, None] * U + source[:, None]
    counts = torch.bincount(cells.ravel(), (weights * asked[:, :, None]).ravel(), minlength=V * U)
    counts = counts.view(V, U).to(table.dtype) + smoothing
    return counts / counts.sum(0)


@checked
def surprise(
    said: Float[Tensor, "B T S"], weights: Float[Tensor, "B T S"], asked: Bool[Tensor, "B T"]
) -> Float[Tensor, ""]:
    """The mean surprise, in nats a word, when `weights` point, before each word, at the source word to be translated.

    `said` is what the table says of each pair of words. Raises ValueError where no word is asked.
    """
    expect(bool(asked.any()), "asked", asked, "at least one word")
    return -(weights * said).sum(2)[asked].clamp(min=_LEAST).log().mean()


@checked
def nearness(mask: Bool[Tensor, "B S"], asked: Bool[Tensor, "B T"], strength: float) -> Float[Tensor, "B T S"]:
    """Scores by place alone: -strength times how far two words are apart, each along its own sentence from 0 to 1.

    Raises ValueError for a sentence without words and a strength that is negative.
    """
    expect(0 <= strength < float("inf"), "strength", strength, "a number that is not negative")
    expect(bool(mask.any(1).all()), "mask", mask, "at least one visible place in every row")
    expect(bool(asked.any(1).all()), "asked", asked, "at least one word in every row")
    s, t = ((torch.arange(there.shape[1]) + 0.5) / there.sum(1, keepdim=True) for there in (mask, asked))
    return -strength * (t[:, :, None] - s[:, None]).abs()


def _tokens(table: Tensor, source: Tensor, target: Tensor) -> None:
    for name, tokens, V in (("target", target, table.shape[0]), ("source", source, table.shape[1])):
        expect(bool((tokens >= 0).all() and (tokens < V).all()), name, tokens, f"tokens from 0 to {V - 1}")
