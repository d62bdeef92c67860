"""Hierarchical recurrent encoder-decoder: one RNN over words, a second over turns, and a decoder for the answer.

Source   Sordoni et al. 2015, arXiv:1507.02221, section 3; Serban et al. 2016, arXiv:1507.04808, section 3; lecture
         erdem2021attention.
Departs  the logits are read from the decoder's hidden state alone; all three RNNs share their embeddings.
Agrees   torch.nn.GRU, Embedding and Linear put together in a loop over turns without padding, in values and gradients
         (tests/gating/test_hierarchical.py).
"""

from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Below, Plural, Positive, Tokens
from attend.gating.gru import GRU


class HRED(nn.Module):
    """Two levels: an encoder over the words of each turn, a second RNN over the turns, and a decoder for the answer.

    A dialogue is words (B, N, T): N turns of up to T words. `mask` is True where there is a word. Padding may stand
    after words, between turns or around them, and changes nothing, in value or in gradient; a turn without a word is no
    turn. Token `end` starts and ends an answer. Raises ValueError for a dialogue without a word.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        context_size: Positive,
        end: Annotated[int, Below("vocab_size")] = 0,
    ):
        super().__init__()
        self.end = end
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.encoder = GRU(embedding_size, hidden_size)  # over words
        self.context_rnn = GRU(hidden_size, context_size)  # over turns
        self.init_hidden = nn.Linear(context_size, hidden_size)
        self.decoder = GRU(embedding_size + context_size, hidden_size)
        self.head = nn.Linear(hidden_size, vocab_size)

    @checked
    def encode(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
        """The context vector: what is kept of the whole dialogue."""
        present = _present(mask)  # (B, N): which turns there are
        # all turns of all dialogues side by side: (turns, T, D) to (turns, H)
        _, last = self.encoder(self.embed(words[present]), mask=mask[present])
        turns = last.new_zeros(*present.shape, last.shape[1])  # (B, N, H)
        turns[present] = last
        _, context = self.context_rnn(turns, mask=present)
        return context  # (B, C)

    @checked
    def forward(
        self,
        words: Tokens["B N T", "self.embed.num_embeddings"],
        mask: Bool[Tensor, "B N T"],
        answer: Tokens["B A", "self.embed.num_embeddings"],
    ) -> Float[Tensor, "B A V"]:
        """Logits of each word of the answer, given the dialogue and the true words before it (teacher forcing)."""
        context = self.encode(words, mask)
        start = torch.full_like(answer[:, :1], self.end)
        # the word before each one: (B, A, D)
        previous = self.embed(torch.cat([start, answer[:, :-1]], dim=1))
        # the context at every step: (B, A, C)
        heard = context[:, None].expand(-1, answer.shape[1], -1)
        state = torch.tanh(self.init_hidden(context))
        outputs, _ = self.decoder(torch.cat([previous, heard], dim=2), state)
        return self.head(outputs)  # (B, A, V)

    @checked
    @torch.no_grad()
    def generate(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"], steps: Positive
    ) -> Int[Tensor, "B A"]:
        """The likeliest word at each of `steps` steps, given the model's own words; after `end` only `end`."""
        context = self.encode(words, mask)
        state = torch.tanh(self.init_hidden(context))
        word, tokens = torch.full_like(words[:, 0, 0], self.end), []
        ended = torch.zeros_like(word, dtype=torch.bool)
        for _ in range(steps):
            state = self.decoder.step(torch.cat([self.embed(word), context], dim=1), state)
            word = self.head(state).argmax(dim=1).masked_fill(ended, self.end)
            ended = ended | (word == self.end)
            tokens.append(word)
        return torch.stack(tokens, dim=1)


class FlatEncoderDecoder(HRED):
    """The baseline: one RNN over all words of all turns as a single sequence, and the same decoder.

    `layer` may be another recurrent layer over the embeddings than a GRU of `context_size` units, such as an LSTM.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        context_size: Positive,
        end: Annotated[int, Below("vocab_size")] = 0,
        layer: nn.Module | None = None,
    ):
        super().__init__(vocab_size, embedding_size, hidden_size, context_size, end)
        self.encoder, self.context_rnn = layer or GRU(embedding_size, context_size), None

    @checked
    def encode(
        self, words: Tokens["B N T", "self.embed.num_embeddings"], mask: Bool[Tensor, "B N T"]
    ) -> Float[Tensor, "B C"]:
        """The context vector: the hidden state after the last word."""
        _present(mask)
        row, real = flatten(words, mask)
        outputs, _ = self.encoder(self.embed(row), mask=real)
        return outputs[:, -1]


@checked
def flatten(words: Int[Tensor, "B N T"], mask: Bool[Tensor, "B N T"]) -> tuple[Tensor, Tensor]:
    """All words of a dialogue as one row, the visible ones first and in their order: tokens and mask, both (B, L).

    L is the number of words in the longest dialogue of the batch.
    """
    words, mask = words.flatten(1), mask.flatten(1)
    order = (~mask).long().argsort(dim=1, stable=True)[:, : max(int(mask.sum(1).max()), 1)]
    return words.gather(1, order), mask.gather(1, order)


def _present(mask: Tensor) -> Tensor:
    """Which turns there are (B, N); a dialogue without a word is refused."""
    present = mask.any(dim=2)
    expect(bool(present.any(dim=1).all()), "mask", mask, "at least one visible word in every dialogue")
    return present
