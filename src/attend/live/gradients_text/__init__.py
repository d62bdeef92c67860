"""Four language models to type to: how much of the loss at a character comes back to each character before it."""

from collections.abc import Mapping

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

MODELS = ("rnn", "gru", "lstm", "transformer")


class GradientsByCharacter(LiveFigure):
    """The norm of the gradient by each earlier character in a vanilla RNN, a GRU, an LSTM and a Transformer.

    `weights` holds a state dict by name of MODELS: an `attend.gating.lstm.LanguageModel` around each recurrent layer,
    and an `attend.transformers.tiny_transformer.TinyTransformer` of `num_heads` heads; they travel as int8. `alphabet`
    holds the characters in the order of the tokens, `text` is what stands there first, and characters `far` or more
    back are counted together. Raises ValueError where these do not fit.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Mapping[str, Tensor]],
        num_heads: int,
        alphabet: str,
        text: str,
        far: int = 20,
    ):
        expect(set(weights) == set(MODELS), "weights", sorted(weights), f"the models {', '.join(MODELS)}")
        vocab_size, d_model = weights["transformer"]["token.weight"].shape
        expect(len(set(alphabet)) == len(alphabet) == vocab_size, "alphabet", alphabet, f"{vocab_size} characters")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        expect(len(text) > 1 and set(text) <= set(alphabet), "text", text, "two or more characters of the alphabet")
        expect(far > 0, "far", far, "a positive whole number")
        super().__init__(
            alt=(
                "A text to type, and below it the same text four times, once for each of a vanilla RNN, a GRU, an LSTM "
                "and a Transformer: the darker the ground behind a character, the larger the gradient of the chosen "
                "character's loss by it. Underneath, four lines show the same over the distance, on a logarithmic "
                "scale. Far back the line of the vanilla RNN is lowest, that of the Transformer highest."
            ),
            invite="Choose a character in the first row: whom does its loss reach, in each of the four models?",
            data={"alphabet": alphabet, "text": text, "heads": num_heads, "far": far},
            tensors={f"{model}.{name}": value for model in MODELS for name, value in weights[model].items()},
            precision="int8",
        )
