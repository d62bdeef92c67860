"""Hierarchical recurrent encoder-decoder: one unit reads words, a second reads turns, a third writes the answer.

Source   Sordoni et al. 2015, arXiv:1507.02221, section 3; Serban et al. 2016, arXiv:1507.04808, section 3; lecture
         erdem2021attention.
Departs  the answer's scores are read from the writer's summary alone; one table of word vectors for all three units.
Agrees   torch.nn.GRU, Embedding and Linear put together in a loop over turns without padding, in values and gradients
         (tests/gating/test_hierarchical.py).
"""

from collections.abc import Callable
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import AtLeast2, Below, Plural, Positive, Tokens
from attend.gating.gru import GRU, chrono_
from attend.memory.supervision import shift_right


class Writer(nn.Module):
    """A unit that writes an answer word by word and hears the context (C) at every step.

    It starts from tanh(A c + a), reads the word before and the context side by side, and scores every word by
    R h_t + r. `words` holds the vectors of the words, shared with the readers; token `end` starts and ends an answer.
    """

    @checked
    def __init__(
        self,
        words: nn.Embedding,
        C: Positive,
        H: Positive,
        end: Annotated[int, Below("words.num_embeddings")] = 0,
        generator: torch.Generator | None = None,
    ):
        V, D = words.weight.shape
        super().__init__()
        self.words, self.end, self.C = words, end, C
        self.begin = linear_(nn.Linear(C, H), generator)
        self.unit = GRU(D + C, H, generator=generator)
        self.readout = linear_(nn.Linear(H, V), generator)

    @checked
    def forward(
        self,
        context: Float[Tensor, "B {self.C}"],
        answer: Tokens["B A", "self.words.num_embeddings"],
    ) -> Float[Tensor, "B A V"]:
        """Scores of each word of `answer`, when the true word before it is given (teacher forcing)."""
        told = self.words(shift_right(answer, self.end))
        heard = context[:, None].expand(-1, answer.shape[1], -1)
        inputs = torch.cat([told, heard], dim=2)
        state = torch.tanh(self.begin(context))
        return self.readout(self.unit(inputs, state)[0])

    @checked
    @torch.no_grad()
    def write(self, context: Float[Tensor, "B {self.C}"], steps: Positive) -> Int[Tensor, "B A"]:
        """The likeliest word at each of `steps` steps after the writer's own words; after `end` only `end`."""
        state, over = torch.tanh(self.begin(context)), torch.zeros(len(context), dtype=torch.bool)
        word, written = torch.full_like(over, self.end, dtype=torch.long), []
        for _ in range(steps):
            state = self.unit.step(torch.cat([self.words(word), context], dim=1), state)
            word = self.readout(state).argmax(-1).masked_fill(over, self.end)
            over = over | (word == self.end)
            written.append(word)
        return torch.stack(written, dim=1)


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
        self,
        words: Tokens["B N T", "self.words.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
        answer: Tokens["B A", "self.words.num_embeddings"],
    ) -> Float[Tensor, "B A V"]:
        """Scores of each word of the answer, given the dialogue and the true words before it."""
        return self.writer(self.read(words, mask), answer)

    @checked
    def write(
        self, words: Tokens["B N T", "self.words.num_embeddings"], mask: Bool[Tensor, "B N T"], steps: Positive
    ) -> Int[Tensor, "B A"]:
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
        V: Plural,
        D: Positive,
        H: Positive,
        C: Positive,
        end: Annotated[int, Below("V")] = 0,
        longest: tuple[AtLeast2, AtLeast2] | None = None,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.words = embedding_(nn.Embedding(V, D), generator=generator)
        self.reader = GRU(D, H, generator=generator)
        self.context = GRU(H, C, generator=generator)
        if longest is not None:
            chrono_(self.reader, longest[0])
            chrono_(self.context, longest[1])
        self.writer = Writer(self.words, C, H, end, generator)

    @checked
    def turns(
        self,
        words: Tokens["B N T", "self.words.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N H"]:
        """The summary of each turn, read by itself; zero where there is no turn."""
        there = _turns(mask)
        x = self.words(words[there])
        last = self.reader(x, mask=mask[there])[1]
        turns = last.new_zeros(*there.shape, self.reader.hidden_size)
        return turns.index_put((there,), last)

    @checked
    def contexts(
        self,
        words: Tokens["B N T", "self.words.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N C"]:
        """The summary of the turns up to each one; where there is no turn it stays."""
        turns = self.turns(words, mask)
        return self.context(turns, mask=_turns(mask))[0]

    @checked
    def read(
        self, words: Tokens["B N T", "self.words.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
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
        V: Plural,
        D: Positive,
        H: Positive,
        C: Positive,
        end: Annotated[int, Below("V")] = 0,
        longest: AtLeast2 | None = None,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.words = embedding_(nn.Embedding(V, D), generator=generator)
        self.reader = GRU(D, C, generator=generator)
        if longest is not None:
            chrono_(self.reader, longest)
        self.writer = Writer(self.words, C, H, end, generator)

    @checked
    def read(
        self, words: Tokens["B N T", "self.words.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
        """The summary after the last word."""
        _turns(mask)
        row, there = flatten(words, mask)
        return self.reader(self.words(row), mask=there)[1]


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
