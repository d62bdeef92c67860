"""Gradient descent on the logits of the next letter: too slow, right, too fast, and the bars that follow."""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class Descent(LiveFigure):
    """How often each letter came after a given one, and gradient descent that finds these shares from logits of zero.

    `counts` (N, V) has a row for each letter of `after`, a text of two to five characters, and a column for each
    character of `alphabet`. Raises ValueError for other shapes, negative counts, and a row that adds up to nothing.
    """

    @checked
    def __init__(self, counts: Float[Tensor, "N V"], after: str, alphabet: str):
        N, V = counts.shape
        expect(2 <= len(after) == N <= 5, "after", after, f"{N} characters, two to five, one for each row of counts")
        expect(len(alphabet) == V > 1, "alphabet", alphabet, f"{V} characters, one for each column of counts")
        known = bool((counts >= 0).all()) and bool((counts.sum(1) > 0).all())
        expect(known, "counts", counts, "counts of 0 and more, and more than 0 in every row")
        super().__init__(
            alt=(
                f"Bars over the {V} characters of an alphabet: the probabilities of the next letter after "
                f"“{after[0]}”, with a mark at the share that the data have. Below, the cross-entropy over 60 steps of "
                "gradient descent, with a dashed line at the least that is possible. With a learning rate of 1 the "
                "curve falls slowly and has not arrived at step 60. With a rate of 10 it arrives within "
                "some thirty steps. With a rate of 100 it jumps up and down and never settles."
            ),
            invite="Drag the learning rate. When does the loss fall fastest, and when does it stop falling at all?",
            data={"after": list(after), "alphabet": list(alphabet)},
            tensors={"shares": (counts / counts.sum(1, keepdim=True)).to(torch.float32)},
        )
