"""A fine-tuned ULMFiT reads a review word by word: its verdict so far, and which words the pooling keeps."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

EPS = 1e-5
"""What torch.nn.BatchNorm1d adds to a variance."""


class ReadWordByWord(LiveFigure):
    """A sentence to type and to scramble, and how sure the classifier is after each word that it is out of order.

    `weights` is the state dict of an `attend.transformers.ulmfit.TextClassifier` of two classes with two LSTMs, which
    travels as int8. `vocabulary` holds its words in the order of the
    tokens, unknown and edge first. `average` (3 D) stands in for those parts of the pooled vector that the reader turns
    off. `text` is the sentence that stands there first. Raises ValueError where these do not fit.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Tensor],
        vocabulary: Sequence[str],
        average: Float[Tensor, "P"],
        text: str,
    ):
        vocab_size, d_model = weights["encoder.token.weight"].shape
        expect(len(set(vocabulary)) == len(vocabulary) == vocab_size, "vocabulary", len(vocabulary), f"{vocab_size}")
        expect(len(average) == 3 * d_model, "average", tuple(average.shape), f"({3 * d_model},)")
        expect(0 < len(text.split()) <= 40, "text", text, "1 to 40 words")
        tensors = {"token": weights["encoder.token.weight"], "average": average[:, None]}
        for n in range(2):
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
                tensors[f"{n}.{name}"] = weights[f"encoder.lstms.{n}.lstm.{name}"]
        for n, norm, linear in ((1, 0, 2), (2, 4, 6)):
            scale, shift = _normalises(weights, norm)
            tensors |= {
                f"scale{n}": scale[:, None],
                f"shift{n}": shift[:, None],
            }  # a column: each number has its own byte
            tensors |= {f"W{n}": weights[f"head.{linear}.weight"], f"b{n}": weights[f"head.{linear}.bias"][:, None]}
        super().__init__(
            alt=(
                "A sentence, word by word. Above each word a bar shows how probable the network takes it, after that "
                "word, that the sentence is out of order. Below each word a bar shows of how many of the 48 units it "
                "holds the largest value so far. Two neighbouring words can be exchanged, and the classifier can be "
                "left with the last state, the largest values or the mean alone."
            ),
            invite="Choose a word and exchange it with the next: does the network notice?",
            data={"vocabulary": list(vocabulary), "text": text},
            tensors=tensors,
            precision="int8",
        )


def _normalises(weights: Mapping[str, Tensor], norm: int) -> tuple[Tensor, Tensor]:
    """What a BatchNorm multiplies by and adds when it is judged."""
    of = lambda name: weights[f"head.{norm}.{name}"]  # noqa: E731
    scale = of("weight") / torch.sqrt(of("running_var") + EPS)
    return scale, of("bias") - scale * of("running_mean")
