"""Faces: people are met once, each with a number. One of them comes again, in other light: what was the number?

A face is 16 numbers. LASTING of them belong to the person, and come back with a little NOISE; the others change from
day to day.

Source   ours, after the matching of Vinyals et al. 2016, arXiv:1606.04080.
Agrees   worked cases, Bayes' rule (tests/tasks/test_faces.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Positive, Seed

LASTING, PASSING, NOISE = 4, 12, 0.2
"""How many numbers of a face last, how many change, and by how much the lasting ones are off when it comes again."""
DIGITS = 10


class Faces(NamedTuple):
    """B lists of S faces: the one that comes again, those that were met before, and what number is asked for.

    `query` (B, 1, 16); `key` (B, S, 16), in the order of the meetings; their numbers as one-hot vectors, `value`
    (B, S, 10); and the number to `answer` (B).
    """

    query: Float[Tensor, "B 1 16"]
    key: Float[Tensor, "B S 16"]
    value: Float[Tensor, "B S 10"]
    answer: Int[Tensor, "B"]


@checked
def sample(batch: Positive, people: Positive, generator: torch.Generator | None = None) -> Faces:
    """`batch` lists of `people`, each met once. All are equally likely to come again."""
    who = torch.arange(people).expand(batch, people)
    return _met(who, people, generator)


@checked
def sample_twice(batch: Positive, people: Positive, generator: torch.Generator | None = None) -> Faces:
    """The same, but each was met twice, with a new number the second time. The latest one counts."""
    order = torch.rand(batch, 2 * people, generator=generator).argsort(dim=1)
    return _met(order % people, people, generator)


def _met(who: Int[Tensor, "B S"], people: int, generator: torch.Generator | None) -> Faces:
    B, S = who.shape
    lasting = 2 * F.normalize(torch.randn(B, people, LASTING, generator=generator), dim=2)  # all of length 2
    asked = torch.randint(people, (B, 1), generator=generator)

    def seen(one: Int[Tensor, "B N"]) -> Float[Tensor, "B N 16"]:
        """How these people look today."""
        lasts = lasting.gather(1, one[:, :, None].expand(-1, -1, LASTING))
        return torch.cat([lasts, torch.randn(*one.shape, PASSING, generator=generator)], dim=2)

    key, query = seen(who), seen(asked)
    query[:, :, :LASTING] += NOISE * torch.randn(B, 1, LASTING, generator=generator)
    number = torch.randint(DIGITS, (B, S), generator=generator)
    latest = ((who == asked) * torch.arange(1, S + 1)).argmax(dim=1, keepdim=True)
    return Faces(query, key, F.one_hot(number, DIGITS).float(), number.gather(1, latest)[:, 0])


@checked
def gaussian(
    query: Float[Tensor, "B T D"], key: Float[Tensor, "B S D"], precision: Float[Tensor, "D"]
) -> Float[Tensor, "B T S"]:
    """Scores of a Gaussian kernel, -½ Σ precision · (query - key)², with a precision 1/σ² for each of D numbers."""
    return -0.5 * ((query[:, :, None] - key[:, None]).square() * precision).sum(dim=3)


def bayes() -> Float[Tensor, " D"]:
    """The precision that makes the softmax of `gaussian` Bayes' rule: 1/NOISE² for what lasts, 0 for what changes."""
    return torch.tensor([NOISE**-2] * LASTING + [0.0] * PASSING)


@checked
def example(people: Positive = 3, seed: Seed = 0) -> str:
    """The number of each person, and the one that is asked for: `4 8 0 → 8`."""
    faces = sample(1, people, torch.Generator().manual_seed(seed))
    met = " ".join(map(str, faces.value[0].argmax(dim=1).tolist()))
    return f"{met} → {faces.answer.item()}"
