"""A word in its sentences: the vectors that a language model in both directions gives it, in a plane."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LAYERS = ("word", "first", "second")


class WordInContext(LiveFigure):
    """The vectors of one spelling in many sentences, layer by layer, and in a sentence to type.

    `weights` is the state dict of an `attend.transformers.elmo.BiLM` of two layers, which travels as int8 without its
    softmax; `vocabulary` holds its words in the order of the tokens, unknown and edge first; `axes` (layer, 2, 2 D) and
    `centre` (layer, 2 D) map a vector to the plane, (vector - centre) · axis; `examples` holds for each spelling to
    choose sentences with a name for their sense, one of two; `text` is the sentence that stands there first, with the
    first spelling in it. Raises ValueError where these do not fit.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Tensor],
        vocabulary: tuple[str, ...],
        axes: Float[Tensor, "3 2 D2"],
        centre: Float[Tensor, "3 D2"],
        examples: Mapping[str, Sequence[tuple[str, str]]],
        text: str,
    ):
        vocab_size, d_model = weights["token.weight"].shape
        expect(len(set(vocabulary)) == len(vocabulary) == vocab_size, "vocabulary", len(vocabulary), f"{vocab_size}")
        expect(axes.shape[2] == 2 * d_model, "axes", tuple(axes.shape), f"a last size of {2 * d_model}")
        kinds = sorted({kind for some in examples.values() for _, kind in some})
        expect(len(kinds) == 2, "examples", kinds, "sentences with two names of senses")
        for word, some in examples.items():
            alone = all(word in sentence.split() for sentence, _ in some) and word in vocabulary
            expect(alone, "examples", word, "a word of the vocabulary that stands in each of its sentences")
        first = next(iter(examples))
        expect(first in text.split(), "text", text, f"a sentence with {first} in it")
        kept = {name: value for name, value in weights.items() if name != "bias"}
        super().__init__(
            alt=(
                "A plane with a point for each of some sentences that hold the same word: dots where it is a "
                f"{kinds[0]}, diamonds where it is a {kinds[1]}. By its static vector all points lie on each other. By "
                "the first layer they fall apart, most dots to one side and most diamonds to the other. A ring marks "
                "the word in a sentence to type."
            ),
            invite="Type a sentence with the word in it: to which side does the ring move?",
            data={
                "vocabulary": list(vocabulary),
                "kinds": kinds,
                "layers": list(LAYERS),
                "spellings": list(examples),
                "examples": {word: [list(one) for one in some] for word, some in examples.items()},
                "text": text,
            },
            tensors=kept | {"axes": axes.flatten(0, 1), "centre": centre},
            precision="int8",
        )
