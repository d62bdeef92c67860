"""Attention with many heads: several readers side by side, each with queries, keys and values of its own.

Source   Vaswani et al. 2017, arXiv:1706.03762, sections 3.2.1 and 3.2.2; lectures erdem2021attention, hu2019lecture16.
Departs  nothing.
Agrees   torch.nn.MultiheadAttention, masked or not, in values and gradients (tests/transformers/test_multihead.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.soft.blocks import read_by_blocks
from attend.soft.read import read


class Remembered(NamedTuple):
    """What can be looked at, as each head sees it: `keys` (B, K, S, Q) and `values` (B, K, S, R)."""

    keys: Float[Tensor, "B K S Q"]
    values: Float[Tensor, "B K S R"]


@checked
def earlier(T: int, S: int | None = None) -> Bool[Tensor, "T S"]:
    """What the last T of S steps may look at: themselves and all that came before. S is T where it is not given."""
    S = T if S is None else S
    expect(T > 0, "T", T, "a positive whole number")
    expect(S >= T, "S", S, f"at least as many steps as look, T = {T}")
    return torch.ones(T, S, dtype=torch.bool).tril(S - T)


@checked
def side_by_side(x: Float[Tensor, "B T D"], maps: Sequence[nn.Linear]) -> Float[Tensor, "B T O"]:
    """What several maps say of x, next to each other, in one product; O is the sum of their widths.

    Raises ValueError where there is no map, or one of another width than x.
    """
    widths = {map.weight.shape[1] for map in maps}
    expect(len(maps) > 0, "maps", maps, "at least one map")
    expect(widths == {x.shape[2]}, "x", x, f"vectors as wide as the maps, {sorted(widths)}")
    weights, bias = maps[0].weight, maps[0].bias
    if len(maps) > 1:
        weights, bias = torch.cat([map.weight for map in maps]), torch.cat([map.bias for map in maps])
    return torch.addmm(bias, x.flatten(0, 1), weights.T).unflatten(0, x.shape[:2])


class MultiHead(nn.Module):
    """K heads: each asks with its own queries, looks at its own keys, and reads its own values.

    Head i reads softmax(q_i k_iᵀ / √Q) v_i with q_i = x W_i^q, k_i = m W_i^k, v_i = m W_i^v; what all have read stands
    side by side and goes through one more map, W^o. D is the width of x and of the memory m; queries and keys have `Q`
    numbers in each head, values `R`, by default D / K. Raises ValueError for sizes that are not positive, and for a D
    that K does not divide where a size is not given.
    """

    @checked
    def __init__(
        self, D: int, K: int, Q: int | None = None, R: int | None = None, generator: torch.Generator | None = None
    ):
        expect(D > 0, "D", D, "a positive whole number")
        expect(K > 0, "K", K, "a positive whole number")
        whole = D % K == 0 or (Q is not None and R is not None)
        expect(whole, "K", K, f"a number of heads that divides D = {D}")
        super().__init__()
        self.D, self.K = D, K
        Q, R = D // K if Q is None else Q, D // K if R is None else R
        expect(Q > 0, "Q", Q, "a positive whole number")
        expect(R > 0, "R", R, "a positive whole number")
        self.query, self.key = linear_(nn.Linear(D, K * Q), generator), linear_(nn.Linear(D, K * Q), generator)
        self.value, self.mix = linear_(nn.Linear(D, K * R), generator), linear_(nn.Linear(K * R, D), generator)

    @checked
    def remember(self, memory: Float[Tensor, "B S D"]) -> Remembered:
        """The keys and values of every head, made once however often they are looked at."""
        self._fits("memory", memory)
        return Remembered(self._apart(self.key(memory)), self._apart(self.value(memory)))

    @checked
    def ask(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B K T Q"]:
        """The queries of every head."""
        self._fits("x", x)
        return self._apart(self.query(x))

    @checked
    def look(
        self,
        x: Float[Tensor, "B T D"],
        there: Remembered,
        mask: Bool[Tensor, "B S"] | Bool[Tensor, "B T S"] | None = None,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B K T S"]]:
        """What was read, after W^o, and where each head looked.

        Raises ValueError for a step that may look nowhere.
        """
        queries = self.ask(x)
        B, K, T, Q = queries.shape
        scores = queries.flatten(0, 1) @ there.keys.flatten(0, 1).mT / Q**0.5
        found = read(scores, there.values.flatten(0, 1), self._seen(mask))
        return self._together(found.context, B), found.weights.view(B, K, T, -1)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        mask: Bool[Tensor, "B S"] | Bool[Tensor, "B T S"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """The same as the first result of `look`, a block of queries at a time; no weights are handed on."""
        self._fits("x", x)
        self._fits("memory", memory)
        if memory is x:
            made = self._heads(x, self.query, self.key, self.value)
        else:
            made = *self._heads(x, self.query), *self._heads(memory, self.key, self.value)
        return self._together(read_by_blocks(*made, self._seen(mask)), len(x))

    def _heads(self, x: Tensor, *maps: nn.Linear) -> list[Tensor]:
        """What each map says of x (B, T, D), every head a row of its own: (B·K, T, ·), made in one product."""
        said = side_by_side(x, maps).split([len(map.weight) for map in maps], dim=2)
        return [self._apart(part).flatten(0, 1) for part in said]

    def _fits(self, name: str, x: Tensor) -> None:
        expect(x.shape[2] == self.D, name, x, f"vectors of width D = {self.D}")

    def _apart(self, side_by_side: Tensor) -> Tensor:
        """(B, T, K·Q) as (B, K, T, Q)."""
        return side_by_side.unflatten(2, (self.K, -1)).transpose(1, 2)

    def _together(self, contexts: Tensor, B: int) -> Tensor:
        """(B·K, T, R) as (B, T, K·R), through W^o."""
        return side_by_side(contexts.unflatten(0, (B, self.K)).transpose(1, 2).flatten(2), [self.mix])

    def _seen(self, mask: Tensor | None) -> Tensor | None:
        """The mask of every row, once for each head."""
        return None if mask is None else mask.repeat_interleave(self.K, dim=0)
