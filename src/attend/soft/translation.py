"""A translator that aligns: a bidirectional encoder, and a decoder that attends to it before each word.

Source   Bahdanau et al. 2014, arXiv:1409.0473, sections 3.1-3.2 and appendix A.2; lecture erdem2021attention.
Departs  each direction of the encoder is half as wide as the decoder; a word is predicted through one layer of tanh, in
         place of maxout, from the decoder's new state, as their eq. 4 has it (their appendix has the old one); the GRU
         is that of attend.gating.gru.
Agrees   torch.nn.GRU, GRUCell, Embedding and Linear put together, in values and gradients
         (tests/soft/test_translation.py).
"""

from typing import Annotated, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import embedding_, linear_
from attend.core.types import Below, Lengths, Plural, Positive, Rule, Tokens
from attend.gating.bidirectional import Bidirectional
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right
from attend.soft.scores import Score
from attend.soft.seq2seq import Outputs, Step

Even = Annotated[int, Rule("a positive even number", lambda size: size > 0 and size % 2 == 0)]


class Annotations(NamedTuple):
    """An encoded source.

    The `hidden` states of both directions side by side (B, S, H); `mask` (B, S), True where there is a token; `last`
    (B, H), from which the decoder starts; and the `keys` U h of the additive score (B, S, A), computed once.
    """

    hidden: Float[Tensor, "B S K"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B H"]
    keys: Float[Tensor, "B S A"]


class Translator(nn.Module):
    """Bahdanau's attention: before each word, the decoder's last state queries all encoder states.

    The scores are vᵀtanh(W s_{t-1} + U h); the context, their weighted mean of h, goes into the decoder's step beside
    the previous word. Token `end` of the target vocabulary starts and ends every target.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Even,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        D, H = embedding_size, hidden_size
        self.end, self.hidden_size = end, H
        self.embed_source = embedding_(nn.Embedding(source_vocab, D), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_vocab, D), generator=generator)
        self.encoder = Bidirectional(GRU(D, H // 2, generator), GRU(D, H // 2, generator))
        self.first_state = linear_(nn.Linear(H // 2, H), generator)
        self.score = Score("additive", H, H, H // 2, generator=generator)  # W, U and v
        self.decoder = GRU(D + H, H, generator)
        self.combine = linear_(nn.Linear(H + D + H, H), generator)
        self.readout = linear_(nn.Linear(H, target_vocab), generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
    ) -> Annotations:
        """Encode every source from both ends. What stands where `mask` is False changes nothing."""
        hidden, last = self.encoder(self.embed_source(source), mask)
        backward = last[:, self.hidden_size // 2 :]  # the direction that ends at the first word
        state = torch.tanh(self.first_state(backward))
        return Annotations(hidden, mask, state, hidden @ self.score.weights["U"].T)

    def start(self, memory: Annotations) -> Tensor:
        """The decoder's first state (B, H)."""
        return memory.last

    def attend(self, state: Tensor, memory: Annotations) -> tuple[Tensor, Tensor]:
        """The context (B, H) for a decoder in this state (B, H), and the attention weights (B, S)."""
        query = state @ self.score.weights["W"].T  # (B, A)
        scores = torch.tanh(query[:, None] + memory.keys) @ self.score.weights["v"]  # (B, S)
        weights = scores.masked_fill(~memory.mask, -torch.inf).softmax(dim=1)
        return (weights[:, None] @ memory.hidden)[:, 0], weights

    def predict(self, state: Tensor, word: Tensor, context: Tensor) -> Tensor:
        """Logits of the next word from the decoder's state, the word before it, and the context."""
        return self.readout(torch.tanh(self.combine(torch.cat([state, word, context], dim=-1))))

    def step(self, token: Tensor, state: Tensor, memory: Annotations) -> Step:
        """Attend, take in the previous token (B) and the context, and predict the next token."""
        word = self.embed_target(token)
        context, weights = self.attend(state, memory)
        state = self.decoder.step(torch.cat([word, context], dim=1), state)
        return Step(self.predict(state, word, context), state, weights)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Outputs:
        """Logits of each token of `target`, given the true tokens before it (teacher forcing)."""
        memory, words = self.read(source, mask), self.embed_target(shift_right(target, self.end))
        state, steps = self.start(memory), []
        for word in words.unbind(1):  # (B, D)
            context, weights = self.attend(state, memory)
            state = self.decoder.step(torch.cat([word, context], dim=1), state)
            steps.append((state, context, weights))
        states, contexts, weights = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        return Outputs(self.predict(states, words, contexts), weights)


@checked
@torch.no_grad()
def needs_attention(
    model: Translator,
    source: Tokens["B S", "model.embed_source.num_embeddings"],
    mask: Lengths["B S"],
    target: Tokens["B T", "model.embed_target.num_embeddings"],
) -> Bool[Tensor, "B T"]:
    """At which tokens of `target` did attention matter?

    Each step is taken twice from the same state, with its attention weights and with uniform ones; True where the two
    predict different tokens.
    """
    memory = model.read(source, mask)
    uniform = memory._replace(keys=torch.zeros_like(memory.keys))
    state, found = model.start(memory), []
    for token in shift_right(target, model.end).unbind(1):
        step = model.step(token, state, memory)
        without = model.step(token, state, uniform)
        found.append(step.logits.argmax(1) != without.logits.argmax(1))
        state = step.state
    return torch.stack(found, dim=1)
