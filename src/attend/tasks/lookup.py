"""Look-up: eight keys, each with a label, and a query that belongs to one of them; what is that key's label?

Source   the course's own; a soft version of looking up a key in a table, after Graves et al. 2014, arXiv:1410.5401.
Agrees   which key belongs to the query, by a search over all keys (tests/tasks/test_lookup.py).
"""

from typing import Literal, NamedTuple, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Positive

Relation = Literal["alike", "shifted", "nearest", "place"]
RELATIONS: tuple[str, ...] = get_args(Relation)
S = 8
"""Keys in a table, and so labels: each label stands there once."""
CHANCE = 1 / S
"""The share of right answers of one who guesses."""


class Table(NamedTuple):
    """A `query` (B, D), the `keys` (B, S, D) with their `labels` (B, S), and the label that is the `answer` (B)."""

    query: Float[Tensor, "B D"]
    keys: Float[Tensor, "B S D"]
    labels: Int[Tensor, "B S"]
    answer: Int[Tensor, "B"]


@checked
def width(relation: Relation) -> int:
    """The width D of queries and keys: a plane for "nearest", 16 numbers otherwise."""
    return 2 if relation == "nearest" else 16


@checked
def sample(relation: Relation, batch: Positive, generator: torch.Generator | None = None) -> Table:
    """`batch` tables of keys from the standard normal distribution, with labels in random order.

    The query is one of the keys with noise ("alike"; in the plane "nearest", where it asks for the key that is closest
    to it), the same with each number one place further on and the last one first ("shifted"), or it names the place at
    which the key stands, with noise ("place").
    """
    B, D = batch, width(relation)
    keys = torch.randn(B, S, D, generator=generator)
    labels = torch.rand(B, S, generator=generator).argsort(dim=1)
    noise = torch.randn(B, D, generator=generator)
    chosen, rows = torch.randint(S, (B,), generator=generator), torch.arange(B)
    if relation == "nearest":
        query = keys[rows, chosen] + 0.1 * noise
        chosen = (keys - query[:, None]).norm(dim=2).argmin(dim=1)
    elif relation == "place":
        query = 4.0 * F.one_hot(chosen, D) + 0.5 * noise
    else:
        query = keys[rows, chosen] + 0.5 * noise
        query = query.roll(1, dims=1) if relation == "shifted" else query
    return Table(query, keys, labels, labels[rows, chosen])
