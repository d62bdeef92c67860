"""A trained classifier of film reviews: type, and see its hidden state and its answer move word by word."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class Sentiment(LiveFigure):
    """A sentence to type, the hidden state after each word, and the answer so far, positive or negative.

    The classifier is h_t = tanh(W e_t + U h_{t-1} + b), with one logit read from the mean of its hidden states. `E`
    (V, D) holds a row for each of `words` (the first stands for all others); W (H, D), U (H, H) and b (H) are the RNN;
    `head` (H) and `bias` (1) make the logit of "positive". They travel as int8. `examples` are sentences to start
    from, the first one shown. Raises ValueError when words and rows do not match and when there is no example.
    """

    @checked
    def __init__(
        self,
        E: Float[Tensor, "V D"],
        W: Float[Tensor, "H D"],
        U: Float[Tensor, "H H"],
        b: Float[Tensor, "H"],
        head: Float[Tensor, "H"],
        bias: Float[Tensor, "1"],
        words: Sequence[str],
        examples: Sequence[str],
    ):
        V, H = len(E), len(b)
        expect(len(words) == V, "words", words, f"a word for each of the V = {V} rows of E")
        expect(all(word and " " not in word for word in words), "words", words, "words without spaces")
        expect(len(examples) > 0, "examples", examples, "at least one sentence")
        expect(all(sentence.strip() for sentence in examples), "examples", examples, "sentences that are not empty")
        super().__init__(
            alt=(
                "A sentence to type in. Below it a curve shows, after each word, how probable the network holds "
                f"it that the review is positive. Under the curve a strip of {H} rows shows the hidden state after "
                "each word: blue cells speak for the film, ochre cells against it."
            ),
            invite="Type a review of your own. Which word turns the curve? Which words does the network not know?",
            data={"words": " ".join(words), "examples": list(examples)},
            tensors={"E": E, "W": W, "U": U, "b": b, "head": head, "bias": bias},
            precision="int8",
        )
