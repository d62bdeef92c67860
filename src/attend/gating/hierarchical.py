"""Hierarchical recurrent encoder-decoder: one RNN over words, a second over turns, and a decoder for the answer.

Source   Sordoni et al. 2015, arXiv:1507.02221, section 3; Serban et al. 2016, arXiv:1507.04808, section 3; lecture
         erdem2021attention.
Departs  the logits are read from the decoder's hidden state alone; all three RNNs share their embeddings.
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


class Decoder(nn.Module):
    """A GRU that generates an answer word by word, with the context vector as an input at every step.

    Its first hidden state is tanh(A c + a); each input is the embedding of the previous word beside the context c.
    `embed` is shared with the encoders; token `end` starts and ends an answer.
    """

    @checked
    def __init__(
        self,
        embed: nn.Embedding,
        context_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("embed.num_embeddings")] = 0,
        generator: torch.Generator | None = None,
    ):
        V, D = embed.weight.shape
        super().__init__()
        self.embed, self.end, self.context_size = embed, end, context_size
        self.init_hidden = linear_(nn.Linear(context_size, hidden_size), generator)
        self.rnn = GRU(D + context_size, hidden_size, generator=generator)
        self.readout = linear_(nn.Linear(hidden_size, V), generator)

    @checked
    def forward(
        self,
        context: Float[Tensor, "B {self.context_size}"],
        answer: Tokens["B A", "self.embed.num_embeddings"],
    ) -> Float[Tensor, "B A V"]:
        """Logits of each word of `answer`, given the true words before it (teacher forcing)."""
        previous = self.embed(shift_right(answer, self.end))
        contexts = context[:, None].expand(-1, answer.shape[1], -1)
        inputs = torch.cat([previous, contexts], dim=2)
        state = torch.tanh(self.init_hidden(context))
        return self.readout(self.rnn(inputs, state)[0])

    @checked
    @torch.no_grad()
    def generate(self, context: Float[Tensor, "B {self.context_size}"], steps: Positive) -> Int[Tensor, "B A"]:
        """The likeliest word at each of `steps` steps, given the model's own words; after `end` only `end`."""
        state = torch.tanh(self.init_hidden(context))
        ended = context.new_zeros(len(context), dtype=torch.bool)
        word, tokens = torch.full_like(ended, self.end, dtype=torch.long), []
        for _ in range(steps):
            state = self.rnn.step(torch.cat([self.embed(word), context], dim=1), state)
            word = self.readout(state).argmax(-1).masked_fill(ended, self.end)
            ended = ended | (word == self.end)
            tokens.append(word)
        return torch.stack(tokens, dim=1)


class DialogueModel(nn.Module):
    """What both models of dialogues share: `encode` makes a context vector of a dialogue, `decoder` an answer of that.

    A dialogue is words (B, N, T): N turns of up to T words. `mask` is True where there is a word. Padding may
    stand after words, between turns or around them, and changes nothing, in value or in gradient; a turn without a word
    is no turn. Raises ValueError for a dialogue without a word.
    """

    decoder: Decoder
    encode: Callable[[Tensor, Tensor], Tensor]

    @checked
    def forward(
        self,
        words: Tokens["B N T", "self.embed.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
        answer: Tokens["B A", "self.embed.num_embeddings"],
    ) -> Float[Tensor, "B A V"]:
        """Logits of each word of the answer, given the dialogue and the true words before it."""
        return self.decoder(self.encode(words, mask), answer)

    @checked
    def generate(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"], steps: Positive
    ) -> Int[Tensor, "B A"]:
        """The likeliest answer, word by word, of at most `steps` words."""
        return self.decoder.generate(self.encode(words, mask), steps)


class HierarchicalEncoderDecoder(DialogueModel):
    """Two levels: an encoder over the words of each turn, and a second RNN over the turns.

    `encoder` starts anew in every turn; `context_rnn` takes one step a turn. So as many steps of `context_rnn` lie
    between a turn and the answer as turns follow, however long they are. `longest` (words, turns) gives the longest
    time scales of a chrono initialisation of the two (`attend.gating.gru.chrono_`).
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        context_size: Positive,
        end: Annotated[int, Below("vocab_size")] = 0,
        longest: tuple[AtLeast2, AtLeast2] | None = None,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.embed = embedding_(nn.Embedding(vocab_size, embedding_size), generator=generator)
        self.encoder = GRU(embedding_size, hidden_size, generator=generator)
        self.context_rnn = GRU(hidden_size, context_size, generator=generator)
        if longest is not None:
            chrono_(self.encoder, longest[0])
            chrono_(self.context_rnn, longest[1])
        self.decoder = Decoder(self.embed, context_size, hidden_size, end, generator)

    @checked
    def encode_turns(
        self,
        words: Tokens["B N T", "self.embed.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N H"]:
        """The last hidden state of each turn, encoded by itself; zero where there is no turn."""
        present = _turns(mask)
        x = self.embed(words[present])
        last = self.encoder(x, mask=mask[present])[1]
        turns = last.new_zeros(*present.shape, self.encoder.hidden_size)
        return turns.index_put((present,), last)

    @checked
    def contexts(
        self,
        words: Tokens["B N T", "self.embed.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
    ) -> Float[Tensor, "B N C"]:
        """The hidden state of `context_rnn` after each turn; where there is no turn it stays."""
        turns = self.encode_turns(words, mask)
        return self.context_rnn(turns, mask=_turns(mask))[0]

    @checked
    def encode(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
        """The context vector: the hidden state after the last turn."""
        return self.contexts(words, mask)[:, -1]


class FlatEncoderDecoder(DialogueModel):
    """The baseline: one RNN over all words of all turns as a single sequence.

    As many steps lie between a turn and the answer as words follow. `longest` gives the longest time scale of a chrono
    initialisation (`attend.gating.gru.chrono_`).
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        context_size: Positive,
        end: Annotated[int, Below("vocab_size")] = 0,
        longest: AtLeast2 | None = None,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.embed = embedding_(nn.Embedding(vocab_size, embedding_size), generator=generator)
        self.encoder = GRU(embedding_size, context_size, generator=generator)
        if longest is not None:
            chrono_(self.encoder, longest)
        self.decoder = Decoder(self.embed, context_size, hidden_size, end, generator)

    @checked
    def encode(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
        """The context vector: the hidden state after the last word."""
        _turns(mask)
        row, present = flatten(words, mask)
        return self.encoder(self.embed(row), mask=present)[1]


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
    present = mask.any(dim=2)
    expect(bool(present.any(dim=1).all()), "mask", mask, "at least one visible word in every dialogue")
    return present
