"""A dialogue to rearrange: after each turn, how sure two trained models are of the right answer."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class Dialogue(LiveFigure):
    """Turns and a question; beside each turn, how probable the right answer is if the question came right then.

    `hierarchical` and `flat` are the tensors of trained models of `words`, named `encoder.from_input.weight` and so on;
    they travel as int8. `things` holds for each thing to settle its `values`, how one `says` it, `asks` for it and
    `answer`s, with {} for the value. Each has a turn, and one more turn holds nothing but `talk`, which lengthens all
    of them; who plays with it chooses how far, between `lengths` words.
    Raises ValueError for a word that is not in `words`, and for tensors of another vocabulary.
    """

    @checked
    def __init__(
        self,
        hierarchical: Mapping[str, Tensor],
        flat: Mapping[str, Tensor],
        words: Sequence[str],
        things: Mapping[str, Mapping[str, Sequence[str] | str]],
        talk: Sequence[str],
        lengths: tuple[int, int] = (12, 48),
    ):
        for name, model in (("hierarchical", hierarchical), ("flat", flat)):
            rows = len(model.get("words", ()))
            expect(rows == len(words), name, f"{rows} rows", f"`words` with a row for each of V = {len(words)} words")
        expect(len(things) > 1, "things", things, "at least two things to settle")
        expect(len(talk) > 0, "talk", talk, "some small talk")
        expect(4 <= lengths[0] <= lengths[1], "lengths", lengths, "at least 4 words, the shorter first")
        phrases = [*talk, *(p for thing in things.values() for p in (*thing["values"], thing["says"], thing["asks"]))]
        odd = {word for phrase in phrases for word in phrase.split()} - {*words, "{}"}
        expect(not odd, "things", sorted(odd), "phrases and small talk made of `words`")
        super().__init__(
            alt=(
                "A dialogue of turns and a question. Beside each turn two bars show how probable the right answer is "
                "if the question came right after that turn, for a model with two levels and for one that reads one "
                "row of words: they are long from the turn on that holds the answer."
            ),
            invite="Move the turn that holds the answer up or down, and lengthen the small talk. Who forgets first?",
            data={
                "words": " ".join(words),
                "things": {name: dict(thing) for name, thing in things.items()},
                "talk": list(talk),
                "lengths": list(lengths),
            },
            tensors={f"hierarchical.{name}": tensor for name, tensor in hierarchical.items()}
            | {f"flat.{name}": tensor for name, tensor in flat.items()},
            precision="int8",
        )
