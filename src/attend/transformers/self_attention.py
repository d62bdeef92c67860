"""Self-attention, one step at a time: every word asks all words, and becomes the mean of what they answer.

Source   Vaswani et al. 2017, arXiv:1706.03762, eq. 1; lecture erdem2021attention (the example of two words).
Departs  nothing.
Agrees   torch.nn.functional.scaled_dot_product_attention, in values and gradients, and the lecture's numbers
         (tests/transformers/test_self_attention.py).
"""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.soft.read import read


class Steps(NamedTuple):
    """Everything on the way: `queries` and `keys` (B, T, Q), `values` (B, T, R), the products of every query with

    every key `scores` (B, T, T), the same over √Q as `scaled`, the `weights` and the new `summaries` (B, T, R).
    """

    queries: Float[Tensor, "B T Q"]
    keys: Float[Tensor, "B T Q"]
    values: Float[Tensor, "B T R"]
    scores: Float[Tensor, "B T T"]
    scaled: Float[Tensor, "B T T"]
    weights: Float[Tensor, "B T T"]
    summaries: Float[Tensor, "B T R"]


@checked
def self_attention(
    x: Float[Tensor, "B T D"],
    query: Float[Tensor, "Q D"],
    key: Float[Tensor, "Q D"],
    value: Float[Tensor, "R D"],
    mask: Bool[Tensor, "B T"] | Bool[Tensor, "B T T"] | None = None,
) -> Steps:
    """softmax(X W_q (X W_k)ᵀ / √Q) X W_v with all that lies between; the maps stand as (out, in).

    Where `mask` is False nothing is read. Raises ValueError for maps of another width and for a word that may look
    nowhere.
    """
    D, Q = x.shape[2], len(query)
    for name, map in {"query": query, "key": key, "value": value}.items():
        fits = map.shape[1] == D
        expect(fits, name, map, f"a map of vectors of width D = {D}")
    expect(len(key) == Q, "key", key, f"as many rows as query, Q = {Q}")
    queries, keys, values = x @ query.T, x @ key.T, x @ value.T
    scores = queries @ keys.mT
    scaled = scores / Q**0.5
    summaries, weights = read(scaled, values, mask)
    return Steps(queries, keys, values, scores, scaled, weights, summaries)
