"""A sentence or an expression to type, the trained parser that writes its brackets, and the tree that grows of them."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LONGEST = 15
"""Words that a line may have."""


class BracketWriter(LiveFigure):
    """Two trained parsers, of English and of Python; the brackets that they write, the tree, and where they look.

    `weights` has the state of an `attend.transformers.translator.Transformer` with four heads for each language,
    "english" and "python"; `words` and `symbols` are what each reads and writes, in the order of its tokens, "end", "•"
    and ")" first; `lines` are what each is asked at first, and then in turn. Raises ValueError for languages that are
    not the same in all of them, for tensors of other vocabularies, and for a line of unknown words.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Mapping[str, Tensor]],
        words: Mapping[str, Sequence[str]],
        symbols: Mapping[str, Sequence[str]],
        lines: Mapping[str, Sequence[str]],
        most: int = 48,
    ):
        names = list(weights)
        expect(len(names) > 0, "weights", names, "at least one language")
        for name, given in (("words", words), ("symbols", symbols), ("lines", lines)):
            expect(list(given) == names, name, list(given), f"the languages {', '.join(names)}")
        for name in names:
            read, write = (weights[name][f"{side}_embedding.weight"].shape[0] for side in ("source", "target"))
            expect(len(words[name]) == read, "words", len(words[name]), f"{read} words of {name}")
            expect(len(symbols[name]) == write, "symbols", len(symbols[name]), f"{write} symbols of {name}")
            expect(len(lines[name]) > 0, "lines", lines[name], f"at least one line of {name}")
            for line in lines[name]:
                fits = 0 < len(line.split()) <= LONGEST and set(line.split()) <= set(words[name])
                expect(fits, "lines", line, f"1 to {LONGEST} of the words of {name}")
        expect(most > 2 * LONGEST, "most", most, f"more than {2 * LONGEST} symbols")
        layers = {name: sum(part.endswith("cross_attn.q_proj.weight") for part in weights[name]) for name in names}
        super().__init__(
            alt=(
                "A sentence, its words in a row. Above them a tree grows as the parser writes brackets: each bracket "
                "that is still open is dashed. Under each word a bar says how much attention it gets at this symbol. "
                "Below, the line of symbols that has been written."
            ),
            invite="Step through the brackets, or type a sentence of your own from the words that the parser knows.",
            data={
                "languages": names,
                "words": {name: list(words[name]) for name in names},
                "symbols": {name: list(symbols[name]) for name in names},
                "lines": {name: list(lines[name]) for name in names},
                "layers": layers,
                "most": most,
                "longest": LONGEST,
            },
            tensors={f"{name}/{part}": tensor for name in names for part, tensor in weights[name].items()},
            precision="int8",
        )
