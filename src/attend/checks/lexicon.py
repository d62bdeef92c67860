"""The exercise on alignments: attention whose scores are read from a table of words."""

from collections.abc import Callable

import torch

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise

TABLE = torch.tensor(
    [[0.1, 0.3, 0.2, 0.5], [0.2, 0.1, 0.4, 0.2], [0.4, 0.2, 0.1, 0.2], [0.3, 0.4, 0.3, 0.1]], dtype=torch.float64
)
SOURCE, TARGET = torch.tensor([2, 0, 3]), torch.tensor([1, 3])


@exercise
def look(looked: Callable) -> str:
    """looked(table, source, target) -> weights (T, S); table[w, f] is p(target word w | source word f)."""
    got = tensor(looked(TABLE, SOURCE, TARGET), 2, 3, what="the weights")
    said = TABLE[TARGET][:, SOURCE]
    right = said / said.sum(1, keepdim=True)
    got = got.double()
    if torch.allclose(got, right, atol=1e-6):
        return "Each word hands out one whole, in shares of what the table says: a softmax over its logarithms."
    swapped = TABLE[SOURCE][:, TARGET].T
    recognise(
        got,
        {
            "each target word hands out one whole: rows add up to 1, and here columns do": said / said.sum(0),
            "these are the table's entries; each row must still add up to 1": said,
            "a softmax takes exponentials, so its scores must be logarithms of the table": said.softmax(1),
            "the largest takes all; in EM every place gets its share": torch.eye(3, dtype=said.dtype)[said.argmax(1)],
            "rows of the table are target words, columns source words; here they are swapped": swapped
            / swapped.sum(1, keepdim=True),
        },
    )
    raise Wrong(f"got {got[0].tolist()} for the first word, expected {right[0].tolist()}")
