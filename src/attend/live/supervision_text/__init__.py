"""A trained language model of characters: type, see what each letter cost and which comes next, and let it write."""

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class NextCharacter(LiveFigure):
    """A line to type, the bits that each character of it cost, and the likeliest next ones, to choose or to draw from.

    The model is h_t = tanh(W e_t + U h_{t-1} + b) with logits V h_t + c. `E` (A, D) holds a row for each character of
    `alphabet`; W (H, D), U (H, H) and b (H) are the RNN, `V` (A, H) and `c` (A) its head. They travel as int8. `text`
    is the line that is shown first. Raises ValueError when alphabet and rows do not match, and for a text that is empty
    or has other characters.
    """

    @checked
    def __init__(
        self,
        E: Float[Tensor, "A D"],
        W: Float[Tensor, "H D"],
        U: Float[Tensor, "H H"],
        b: Float[Tensor, "H"],
        V: Float[Tensor, "A H"],
        c: Float[Tensor, "A"],
        alphabet: str,
        text: str,
    ):
        expect(len(set(alphabet)) == len(alphabet) == len(E), "alphabet", alphabet, f"{len(E)} different characters")
        expect(0 < len(text) <= 80, "text", text, "1 to 80 characters")
        expect(set(text) <= set(alphabet), "text", text, "only characters of the alphabet")
        super().__init__(
            alt=(
                "A line to type in. Below it stands the same text, each letter on a ground that is the darker, the "
                "more bits it cost the trained network. Under it bars show how probable the eight likeliest next "
                "characters are. A slider sets the temperature, and a button lets the network write on."
            ),
            invite="Type a line from a play that was never written, and let the network go on.",
            data={"alphabet": alphabet, "text": text},
            tensors={"E": E, "W": W, "U": U, "b": b, "V": V, "c": c},
            precision="int8",
        )
