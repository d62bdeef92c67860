"""Sequence to sequence: an encoder reads the source, a decoder starts from its final state and generates the target.

Source   Sutskever et al. 2014, arXiv:1409.3215, eq. 1; the context at every step, Cho et al. 2014, arXiv:1406.1078,
         eq. 3; lectures sankaran2019part5 and sankaran2019part4.
Departs  one layer of GRU (attend.gating.gru) for encoder and decoder each, in place of four of LSTM.
Agrees   torch.nn.GRU, torch.nn.Embedding and torch.nn.Linear put together, in values and gradients
         (tests/soft/test_seq2seq.py).
"""

from typing import Annotated, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import embedding_, linear_
from attend.core.types import Below, Lengths, Plural, Positive, Tokens
from attend.gating.bidirectional import Bidirectional
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right


class Memory(NamedTuple):
    """An encoded source.

    The `hidden` states of all steps (B, S, K); `mask` (B, S), True where there is a token; and the `last` hidden state
    (B, H), from which the decoder starts.
    """

    hidden: Float[Tensor, "B S K"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B H"]


class Outputs(NamedTuple):
    """`logits` of each token of the target (B, T, V), and the attention `weights` (B, T, S), if there is attention."""

    logits: Float[Tensor, "B T V"]
    weights: Float[Tensor, "B T S"] | None


class Step(NamedTuple):
    """One decoder step: `logits` (B, V), the new `state`, and the attention `weights` (B, S), if there is attention."""

    logits: Float[Tensor, "B V"]
    state: Float[Tensor, "B H"]
    weights: Float[Tensor, "B S"] | None


class Seq2Seq(nn.Module):
    """An encoder-decoder without attention: all that the decoder gets of any source is one hidden state of width H.

    Token `end` of the target vocabulary starts and ends every target.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_vocab, embedding_size), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_vocab, embedding_size), generator=generator)
        self.encoder = GRU(embedding_size, hidden_size, generator)
        self.decoder = GRU(embedding_size, hidden_size, generator)
        self.readout = linear_(nn.Linear(hidden_size, target_vocab), generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
    ) -> Memory:
        """Encode every source. What stands where `mask` is False changes nothing."""
        hidden, last = self.encoder(self.embed_source(source), mask=mask)  # (B, S, H), (B, H)
        return Memory(hidden, mask, last)

    def start(self, memory: Memory) -> Tensor:
        """The decoder's first state (B, H): the last state of the encoder."""
        return memory.last

    def predict(self, hidden: Tensor, memory: Memory) -> Outputs:
        """Logits from the decoder's hidden states (B, T, H); without attention they do not depend on the memory."""
        return Outputs(self.readout(hidden), None)

    def step(self, token: Tensor, state: Tensor, memory: Memory) -> Step:
        """Take in the previous token (B) and predict the next one."""
        state = self.decoder.step(self.embed_target(token), state)  # (B, H)
        logits, weights = self.predict(state[:, None], memory)  # one step: (B, 1, V)
        return Step(logits[:, 0], state, None if weights is None else weights[:, 0])

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Outputs:
        """Logits of each token of `target`, given the true tokens before it (teacher forcing)."""
        memory = self.read(source, mask)
        previous = self.embed_target(shift_right(target, self.end))  # (B, T, D)
        hidden, _ = self.decoder(previous, self.start(memory))  # (B, T, H)
        return self.predict(hidden, memory)


class BidirectionalSeq2Seq(Seq2Seq):
    """The same with an encoder of two GRUs that read from both ends; their final states, side by side, have width H."""

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Plural,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        half = hidden_size // 2
        ahead = GRU(embedding_size, hidden_size - half, generator)
        self.encoder = Bidirectional(ahead, GRU(embedding_size, half, generator))


class ContextSeq2Seq(Seq2Seq):
    """The same with a decoder that is shown the encoder's final state at every step, beside the previous token."""

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.decoder = GRU(embedding_size + hidden_size, hidden_size, generator)

    def step(self, token: Tensor, state: Tensor, memory: Memory) -> Step:
        """Take in the previous token (B), and the encoder's final state again, and predict the next one."""
        x = torch.cat([self.embed_target(token), memory.last], dim=1)  # (B, D + H)
        state = self.decoder.step(x, state)
        return Step(self.readout(state), state, None)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Outputs:
        """Logits of each token of `target`, given the true tokens before it (teacher forcing)."""
        memory = self.read(source, mask)
        previous = self.embed_target(shift_right(target, self.end))  # (B, T, D)
        context = memory.last[:, None].expand(-1, target.shape[1], -1)  # (B, T, H)
        hidden, _ = self.decoder(torch.cat([previous, context], dim=2), self.start(memory))
        return self.predict(hidden, memory)
