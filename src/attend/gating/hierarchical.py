"""Hierarchical recurrent encoder-decoder: one unit reads words, a second reads turns, a third writes the answer.

Source   Sordoni et al. 2015, arXiv:1507.02221, section 3; Serban et al. 2016, arXiv:1507.04808, section 3; lecture
         erdem2021attention.
Departs  the answer's scores are read from the writer's summary alone; one table of word vectors for all three units.
Agrees   torch.nn.GRU, Embedding and Linear put together in a loop over turns without padding, in values and gradients
         (tests/gating/test_hierarchical.py).
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.gating.gru import GRU
from attend.memory.supervision import Embedding, Readout, before


class Writer(nn.Module):
    """A unit that writes an answer word by word and hears the context (C) at every step.

    It starts from tanh(A c + a), reads the word before and the context side by side, and scores every word by
    R h_t + r. `words` holds the vectors of the words, shared with the readers; token `end` starts and ends an answer.
    """

    @checked
    def __init__(self, words: Embedding, C: int, H: int, end: int = 0, generator: torch.Generator | None = None):
        V, D = words.rows.shape
        expect(C > 0, "C", C, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        expect(0 <= end < V, "end", end, f"a token from 0 to V - 1 = {V - 1}")
        super().__init__()
        self.words, self.end, self.C = words, end, C
        self.begin = Readout(C, H, generator)
        self.unit = GRU(D + C, H, generator=generator)
        self.readout = Readout(H, V, generator)

    @checked
    def forward(
        self,
        context: Float[Tensor, "B C"],
        answer: Int[Tensor, "B A"],
    ) -> Float[Tensor, "B A V"]:
        """Scores of each word of `answer`, when the true word before it is given (teacher forcing)."""
        self._fits(context, answer)
        told = self.words(before(answer, self.end))
        heard = context[:, None].expand(-1, answer.shape[1], -1)
        inputs = torch.cat([told, heard], dim=2)
        state = torch.tanh(self.begin(context))
        return self.readout(self.unit.sequence(inputs, state)[0])

    @checked
    @torch.no_grad()
    def write(self, context: Float[Tensor, "B C"], steps: int) -> Int[Tensor, "B A"]:
        """The likeliest word at each of `steps` steps after the writer's own words; after `end` only `end`."""
        self._fits(context)
        expect(steps > 0, "steps", steps, "a positive whole number")
        state, over = torch.tanh(self.begin(context)), torch.zeros(len(context), dtype=torch.bool)
        word, written = torch.full_like(over, self.end, dtype=torch.long), []
        for _ in range(steps):
            h, state = self.unit(torch.cat([self.words(word), context], dim=1), state)
            word = self.readout(h).argmax(-1).masked_fill(over, self.end)
            over = over | (word == self.end)
            written.append(word)
        return torch.stack(written, dim=1)

    def _fits(self, context: Tensor, answer: Tensor | None = None) -> None:
        """Refuse a context of another width, and an answer with a word that is none."""
        V = len(self.words.rows)
        expect(context.shape[1] == self.C, "context", context, f"contexts of this writer's width C = {self.C}")
        known = answer is None or bool(((answer >= 0) & (answer < V)).all())
        expect(known, "answer", answer, f"words from 0 to V - 1 = {V - 1}")


class Answering(nn.Module):
    """What both readers of a dialogue share: `read` makes one context of all its words, `writer` an answer of that.

    A dialogue is words (B, N, T): N turns of up to T words. `mask` says which are there. Padding may stand after
    words, between turns or around them, and changes nothing, in value or in gradient; a turn without a visible word
    is no turn. Raises ValueError for a dialogue without a word.
    """

    writer: Writer
    read: Callable[[Tensor, Tensor], Tensor]

    @checked
    def forward(
        self, words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"], answer: Int[Tensor, "B A"]
    ) -> Float[Tensor, "B A V"]:
        """Scores of each word of the answer, given the dialogue and the true words before it."""
        return self.writer(self.read(words, mask), answer)

    @checked
    def write(self, words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"], steps: int) -> Int[Tensor, "B A"]:
        """The likeliest answer, word by word, of at most `steps` words."""
        return self.writer.write(self.read(words, mask), steps)


class Hierarchical(Answering):
    """Words within a turn, turns within a dialogue: each level has a clock of its own.

    `reader` (D to H) starts anew in every turn; `context` (H to C) takes one step a turn. From a turn to the answer
    it is as many steps of `context` as turns follow, however long they are. With `longest` (words, turns) the keep
    biases of the two are spread over time scales of 2 to so many words, 2 to so many turns (`GRU`).
    """

    @checked
    def __init__(
        self,
        V: int,
        D: int,
        H: int,
        C: int,
        end: int = 0,
        longest: tuple[float, float] | None = None,
        generator: torch.Generator | None = None,
    ):
        expect(C > 0, "C", C, "a positive whole number")
        super().__init__()
        self.words = Embedding(V, D, generator=generator)
        words, turns = (None, None) if longest is None else longest
        self.reader = GRU(D, H, longest=words, generator=generator)
        self.context = GRU(H, C, longest=turns, generator=generator)
        self.writer = Writer(self.words, C, H, end, generator)

    @checked
    def turns(
        self,
        words: Int[Tensor, "B N T"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N H"]:
        """The summary of each turn, read by itself; zero where there is no turn."""
        there = _turns(mask)
        x = self.words(words[there])
        last = self.reader.sequence(x, mask=mask[there])[1]
        turns = last.new_zeros(*there.shape, self.reader.H)
        return turns.index_put((there,), last)

    @checked
    def contexts(
        self,
        words: Int[Tensor, "B N T"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N C"]:
        """The summary of the turns up to each one; where there is no turn it stays."""
        turns = self.turns(words, mask)
        return self.context.sequence(turns, mask=_turns(mask))[0]

    @checked
    def read(self, words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"]) -> Float[Tensor, "B C"]:
        """The context after the last turn."""
        return self.contexts(words, mask)[:, -1]


class Flat(Answering):
    """The rival: one unit (D to C) reads all words of all turns as a single sequence.

    From a turn to the answer it is as many steps as words follow. With `longest` the unit's keep biases are spread
    over time scales of 2 to `longest` steps (`GRU`).
    """

    @checked
    def __init__(
        self,
        V: int,
        D: int,
        H: int,
        C: int,
        end: int = 0,
        longest: float | None = None,
        generator: torch.Generator | None = None,
    ):
        expect(C > 0, "C", C, "a positive whole number")
        super().__init__()
        self.words = Embedding(V, D, generator=generator)
        self.reader = GRU(D, C, longest=longest, generator=generator)
        self.writer = Writer(self.words, C, H, end, generator)

    @checked
    def read(self, words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"]) -> Float[Tensor, "B C"]:
        """The summary after the last word."""
        _turns(mask)
        row, there = flatten(words, mask)
        return self.reader.sequence(self.words(row), mask=there)[1]


@checked
def flatten(words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"]) -> tuple[Tensor, Tensor]:
    """All words of a dialogue as one row, the visible ones first and in their order: tokens and mask, both (B, L).

    L is the number of words in the longest dialogue of the batch.
    """
    words, mask = words.flatten(1), mask.flatten(1)
    order = (~mask).long().argsort(dim=1, stable=True)[:, : max(int(mask.sum(1).max()), 1)]
    return words.gather(1, order), mask.gather(1, order)


def _turns(mask: Tensor) -> Tensor:
    """Which turns there are (B, N); a dialogue without a word is refused."""
    there = mask.any(dim=2)
    expect(bool(there.any(dim=1).all()), "mask", mask, "at least one visible word in every dialogue")
    return there
