"""Six ways to score how well a key answers a query, with one signature, so that one can be swapped for another.

Source   Bahdanau et al. 2014, arXiv:1409.0473 (additive); Luong et al. 2015, arXiv:1508.04025 (dot, bilinear,
         location); Graves et al. 2014, arXiv:1410.5401 (cosine); Vaswani et al. 2017, arXiv:1706.03762 (scaled dot).
Departs  weights are drawn so that queries and keys of unit variance have scores of about unit variance, in all but the
         dot product, which has none.
Agrees   torch.nn.functional.bilinear, cosine_similarity and scaled_dot_product_attention, and a loop over single
         pairs, in values and gradients (tests/soft/test_scores.py).
"""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import normalize

from attend.core.expect import checked, expect


@checked
def dot(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """How long the query's shadow on the key is, times the key's length: qᵀk. Nothing to learn; Q = K."""
    _as_wide(queries, keys)
    return queries @ keys.mT


@checked
def scaled_dot(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """The dot product over √Q, so that its variance does not grow with the width."""
    return dot(queries, keys, weights) / queries.shape[2] ** 0.5


@checked
def cosine(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """The cosine of the angle between them, times a learned `sharpness`; lengths do not count."""
    return weights["sharpness"] * dot(normalize(queries, dim=2), normalize(keys, dim=2), weights)


@checked
def bilinear(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """The dot product after a learned map: qᵀM k with M (Q, K). Luong et al. call it "general"."""
    return queries @ weights["M"] @ keys.mT


@checked
def additive(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """A small network of A hidden units: vᵀtanh(W q + U k) with W (A, Q), U (A, K), v (A)."""
    asked = queries @ weights["W"].T
    answered = keys @ weights["U"].T
    return torch.tanh(asked[:, :, None] + answered[:, None]) @ weights["v"]


@checked
def location(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S K"],
    weights: Mapping[str, Tensor],
) -> Float[Tensor, "B T S"]:
    """One score a place, from the query alone: (W q + b)_s with W (places, Q), b (places). The keys are not looked at.

    Raises ValueError for more keys than there are places.
    """
    S, places = keys.shape[1], len(weights["b"])
    wanted = f"at most as many keys as there are places, S <= {places}"
    expect(places >= S, "keys", keys, wanted)
    return (queries @ weights["W"].T + weights["b"])[:, :, :S]


SCORES = {score.__name__: score for score in (additive, bilinear, dot, scaled_dot, cosine, location)}


class Score(nn.Module):
    """One of `SCORES` by name, with the weights that it needs, for queries of width Q and keys of width K.

    `hidden` is the number A of hidden units of "additive", `places` the most places that "location" can tell apart.
    Raises ValueError for an unknown name and for a width or number that is not positive.
    """

    @checked
    def __init__(
        self,
        name: str,
        Q: int,
        K: int,
        hidden: int = 64,
        places: int = 40,
        generator: torch.Generator | None = None,
    ):
        expect(name in SCORES, "name", name, f"one of {', '.join(SCORES)}")
        for argument, size in (("Q", Q), ("K", K), ("hidden", hidden), ("places", places)):
            expect(size > 0, argument, size, "a positive whole number")
        super().__init__()
        self.name, self.Q, self.K = name, Q, K

        def drawn(*shape: int, variance: float) -> nn.Parameter:
            return nn.Parameter(variance**0.5 * torch.randn(*shape, generator=generator))

        weights: dict[str, nn.Parameter] = {}
        if name == "cosine":
            weights = {"sharpness": nn.Parameter(torch.tensor(Q**0.5))}
        elif name == "bilinear":
            weights = {"M": drawn(Q, K, variance=1 / (Q * K))}
        elif name == "additive":
            wide = {"W": drawn(hidden, Q, variance=0.5 / Q), "U": drawn(hidden, K, variance=0.5 / K)}
            weights = {**wide, "v": drawn(hidden, variance=2.5 / hidden)}  # tanh of a unit normal has variance 0.4
        elif name == "location":
            weights = {"W": drawn(places, Q, variance=1 / Q), "b": nn.Parameter(torch.zeros(places))}
        self.weights = nn.ParameterDict(weights)

    @checked
    def forward(
        self,
        queries: Float[Tensor, "B T Q"],
        keys: Float[Tensor, "B S K"],
    ) -> Float[Tensor, "B T S"]:
        """The score of every key for every query."""
        for argument, given, width in (("queries", queries, self.Q), ("keys", keys, self.K)):
            expect(given.shape[2] == width, argument, given, f"{argument} of this score's width {width}")
        return SCORES[self.name](queries, keys, dict(self.weights.items()))


def _as_wide(queries: Tensor, keys: Tensor) -> None:
    Q = queries.shape[2]
    expect(keys.shape[2] == Q, "keys", keys, f"keys as wide as the queries, K = Q = {Q}")
