"""Six ways to score how well a key answers a query. All take queries and keys, and then their own weights by name.

Source   Bahdanau et al. 2014, arXiv:1409.0473 (additive); Luong et al. 2015, arXiv:1508.04025 (dot, bilinear,
         location); Graves et al. 2014, arXiv:1410.5401 (cosine); Vaswani et al. 2017, arXiv:1706.03762 (scaled dot).
Departs  weights are drawn so that queries and keys of unit variance have scores of about unit variance, in all but the
         dot product, which has none.
Agrees   torch.nn.functional.bilinear, cosine_similarity and scaled_dot_product_attention, and a loop over single
         pairs, in values and gradients (tests/soft/test_scores.py).
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.functional import normalize

from attend.core import types
from attend.core.expect import checked, expect
from attend.core.types import Positive

Name = Literal["additive", "bilinear", "dot", "scaled_dot", "cosine", "location"]


@checked
def dot(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S Q"],
) -> Float[Tensor, "B T S"]:
    """The dot product qᵀk. There is nothing to learn; queries and keys have the same width."""
    return queries @ keys.mT


@checked
def scaled_dot(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S Q"],
) -> Float[Tensor, "B T S"]:
    """The dot product over √Q, so that its variance does not grow with the width."""
    return queries @ keys.mT / queries.shape[2] ** 0.5


@checked
def cosine(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S Q"],
    inverse_temperature: Float[Tensor, ""],
) -> Float[Tensor, "B T S"]:
    """The cosine of the angle between query and key, times a learned inverse temperature; lengths do not count."""
    return inverse_temperature * (normalize(queries, dim=2) @ normalize(keys, dim=2).mT)


@checked
def bilinear(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    M: Float[Tensor, "Q K"],
) -> Float[Tensor, "B T S"]:
    """The dot product after a learned projection: qᵀM k. Luong et al. call it "general"."""
    return queries @ M @ keys.mT


@checked
def additive(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    W: Float[Tensor, "A Q"],
    U: Float[Tensor, "A K"],
    v: Float[Tensor, "A"],
) -> Float[Tensor, "B T S"]:
    """A network with one hidden layer of A units: vᵀtanh(W q + U k)."""
    from_query = queries @ W.T  # (B, T, A)
    from_key = keys @ U.T  # (B, S, A)
    return torch.tanh(from_query[:, :, None] + from_key[:, None]) @ v


@checked
def location(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    W: Float[Tensor, "L Q"],
    b: Float[Tensor, "L"],
) -> Float[Tensor, "B T S"]:
    """One score for each of L positions from the query alone, (W q + b)_s; only the number of keys counts.

    Raises ValueError for more keys than positions.
    """
    S = keys.shape[1]
    expect(len(b) >= S, "keys", keys, f"at most as many keys as there are positions, S <= {len(b)}")
    return (queries @ W.T + b)[:, :, :S]


SCORES = {score.__name__: score for score in (additive, bilinear, dot, scaled_dot, cosine, location)}


class Score(nn.Module):
    """One of `SCORES` by name, with the weights that it needs.

    `hidden_size` is the number A of hidden units of "additive", `max_length` the most positions that "location" knows.
    """

    @checked
    def __init__(
        self,
        name: Name,
        query_size: Positive,
        key_size: Positive,
        hidden_size: Positive = 64,
        max_length: Positive = 40,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.name, self.query_size, self.key_size = name, query_size, key_size

        def normal(*shape: int, variance: float) -> Tensor:
            return variance**0.5 * torch.randn(*shape, generator=generator)

        weights: dict[str, Tensor] = {}
        if name == "cosine":
            weights = {"inverse_temperature": torch.tensor(query_size**0.5)}
        elif name == "bilinear":
            weights = {"M": normal(query_size, key_size, variance=1 / (query_size * key_size))}
        elif name == "additive":
            weights = {
                "W": normal(hidden_size, query_size, variance=0.5 / query_size),
                "U": normal(hidden_size, key_size, variance=0.5 / key_size),
                "v": normal(hidden_size, variance=2.5 / hidden_size),  # tanh of a unit normal has variance 0.4
            }
        elif name == "location":
            weights = {"W": normal(max_length, query_size, variance=1 / query_size), "b": torch.zeros(max_length)}
        self.weights = nn.ParameterDict({key: nn.Parameter(weight) for key, weight in weights.items()})

    @checked
    def forward(
        self,
        queries: Float[Tensor, "B T {self.query_size}"],
        keys: Float[Tensor, "B S {self.key_size}"],
    ) -> Float[Tensor, "B T S"]:
        """The score of every key for every query."""
        return SCORES[self.name](queries, keys, **self.weights)


class Lookup(nn.Module):
    """A soft table: a query reads a mixture of the labels of S keys, weighted by a score.

    `score` is any module that takes queries and keys, such as `Score`; its scores are divided by `temperature`. With
    `constant` the query has one more number, which is always 1. Raises ValueError for a temperature that is not
    positive.
    """

    @checked
    def __init__(
        self, score: nn.Module, labels: Positive, constant: bool = False, temperature: types.PositiveFloat = 1.0
    ):
        super().__init__()
        self.score, self.labels = score, labels
        self.constant, self.temperature = constant, temperature

    @checked
    def forward(
        self,
        query: Float[Tensor, "B Q"],
        keys: Float[Tensor, "B S K"],
        labels: types.Tokens["B S", "self.labels"],
    ) -> tuple[Float[Tensor, "B {self.labels}"], Float[Tensor, "B S"]]:
        """The context, a share for each label, and the attention weights."""
        if self.constant:
            query = F.pad(query, (0, 1), value=1.0)  # (B, Q + 1)
        scores = self.score(query[:, None], keys)  # (B, 1, S)
        weights = (scores / self.temperature).softmax(dim=2)
        values = F.one_hot(labels, self.labels).to(weights.dtype)  # (B, S, labels)
        context = weights @ values  # (B, 1, labels)
        return context[:, 0], weights[:, 0]
