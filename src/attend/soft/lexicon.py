"""IBM Model 1: a lexical translation table, learned by expectation-maximisation (EM).

Source   Brown et al. 1993, The mathematics of statistical machine translation, section 4.1 (EM); Dyer et al. 2013, A
         simple, fast, and effective reparameterization of IBM Model 2 (a prior for the diagonal).
Departs  a small number is added to every count, so that no pair is impossible; the strength of the diagonal is given.
Agrees   a sum over all alignments of two sentences, one by one (tests/soft/test_lexicon.py).
"""

from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Mask, NonNegativeFloat, Plural, PositiveFloat, Rule

LEAST = 1e-30
NOT_NEGATIVE = Rule("probabilities, none of them negative", lambda table: bool((table >= 0).all()))


@checked
def uniform_table(target_vocab: Plural, source_vocab: Plural) -> Float[Tensor, "V U"]:
    """The table before training: every target word is equally likely, whatever the source word."""
    return torch.full((target_vocab, source_vocab), 1 / target_vocab)


@checked
def pair_probs(
    table: Float[Tensor, "V U"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
) -> Float[Tensor, "B T S"]:
    """p(target word | source word) from the table, for each pair of words in a sentence and its translation.

    Raises ValueError for tokens that the table lacks.
    """
    expect(_known(target, table.shape[0]), "target", target, f"tokens from 0 to {table.shape[0] - 1}")
    expect(_known(source, table.shape[1]), "source", source, f"tokens from 0 to {table.shape[1] - 1}")
    return table[target[:, :, None], source[:, None]]


@checked
def e_step(
    table: Annotated[Float[Tensor, "V U"], NOT_NEGATIVE],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Mask["B S"],
    prior: Float[Tensor, "B T S"] | None = None,
) -> Float[Tensor, "B T S"]:
    """Which source word each target word comes from: attention whose scores are log-probabilities of the table.

    `prior` is added to the scores: the logits of an alignment before the word was seen. A softmax of a sum of
    logarithms is Bayes' rule. Raises ValueError for tokens that the table lacks.
    """
    expect(_known(target, table.shape[0]), "target", target, f"tokens from 0 to {table.shape[0] - 1}")
    expect(_known(source, table.shape[1]), "source", source, f"tokens from 0 to {table.shape[1] - 1}")
    probs = table[target[:, :, None], source[:, None]]  # (B, T, S): p(word | word)
    scores = probs.clamp(min=1e-30).log()
    if prior is not None:
        scores = scores + prior
    scores = scores.masked_fill(~mask[:, None], -torch.inf)
    return scores.softmax(dim=2)


@checked
def m_step(
    weights: Float[Tensor, "B T S"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    loss_mask: Bool[Tensor, "B T"],
    table: Float[Tensor, "V U"],
    smoothing: PositiveFloat = 1e-3,
) -> Float[Tensor, "V U"]:
    """A new table, of the shape of `table`, from the alignment `weights`.

    Each target word where `loss_mask` is True counts once, in shares as its weights say; `smoothing` is added to every
    count, and each column is divided by its sum.
    """
    expect(_known(target, table.shape[0]), "target", target, f"tokens from 0 to {table.shape[0] - 1}")
    expect(_known(source, table.shape[1]), "source", source, f"tokens from 0 to {table.shape[1] - 1}")
    counts = torch.full_like(table, smoothing)  # (V, U)
    shares = weights * loss_mask[:, :, None]  # (B, T, S)
    where = (target[:, :, None], source[:, None])
    counts.index_put_(where, shares, accumulate=True)
    return counts / counts.sum(dim=0)


@checked
def cross_entropy(
    pair_probs: Float[Tensor, "B T S"],
    weights: Float[Tensor, "B T S"],
    loss_mask: Annotated[Bool[Tensor, "B T"], Rule("at least one True", lambda mask: bool(mask.any()))],
) -> Float[Tensor, ""]:
    """The mean −log p in nats a word, when `weights` say before each word which source word it will translate.

    `pair_probs` is p(target word | source word) for each pair.
    """
    return -(weights * pair_probs).sum(2)[loss_mask].clamp(min=LEAST).log().mean()


@checked
def diagonal_scores(mask: Mask["B S"], loss_mask: Mask["B T"], strength: NonNegativeFloat) -> Float[Tensor, "B T S"]:
    """Scores from positions alone: −strength times the distance of two words, each from 0 to 1 along its sentence."""
    s, t = (
        (torch.arange(one.shape[1], device=one.device) + 0.5) / one.sum(1, keepdim=True) for one in (mask, loss_mask)
    )
    return -strength * (t[:, :, None] - s[:, None]).abs()


def _known(tokens: Tensor, V: int) -> bool:
    return bool((tokens >= 0).all() and (tokens < V).all())
