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
    """Bahdanau's attention: before each token, the decoder's last state queries all encoder states.

    The scores are vᵀtanh(W h̃_{t-1} + U h_s); the context, the weighted mean of the h_s, goes into the decoder's step
    beside the previous token. Token `end` of the target vocabulary starts and ends every target.
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
        D, H, A = embedding_size, hidden_size, hidden_size // 2
        self.end, self.hidden_size = end, H
        self.embed_source = embedding_(nn.Embedding(source_vocab, D), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_vocab, D), generator=generator)
        self.encoder = Bidirectional(GRU(D, A, generator), GRU(D, A, generator))
        self.first_state = linear_(nn.Linear(A, H), generator)
        self.query_proj = nn.Linear(H, A, bias=False)  # W
        self.key_proj = nn.Linear(H, A, bias=False)  # U
        self.score = nn.Linear(A, 1, bias=False)  # v
        for layer in (self.query_proj, self.key_proj, self.score):
            nn.init.normal_(layer.weight, std=layer.in_features**-0.5, generator=generator)
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
        hidden, last = self.encoder(self.embed_source(source), mask)  # (B, S, H), (B, H)
        backward = last[:, self.hidden_size // 2 :]  # the direction that ends at the first word
        state = torch.tanh(self.first_state(backward))  # (B, H)
        return Annotations(hidden, mask, state, self.key_proj(hidden))

    def start(self, memory: Annotations) -> Tensor:
        """The decoder's first state (B, H)."""
        return memory.last

    def attend(self, state: Tensor, memory: Annotations) -> tuple[Tensor, Tensor]:
        """The context (B, H) for a decoder in this state (B, H), and the attention weights (B, S)."""
        query = self.query_proj(state)  # (B, A)
        scores = self.score(torch.tanh(query[:, None] + memory.keys))[..., 0]  # (B, S)
        weights = scores.masked_fill(~memory.mask, -torch.inf).softmax(dim=1)
        context = (weights[:, None] @ memory.hidden)[:, 0]  # (B, H)
        return context, weights

    def predict(self, state: Tensor, word: Tensor, context: Tensor) -> Tensor:
        """Logits of the next token from the decoder's state, the token before it, and the context."""
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


class FixedContext(Translator):
    """The same without attention: the context of every step is the final states of both directions, side by side."""

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
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.query_proj = self.key_proj = self.score = nn.Identity()  # nothing is scored

    def attend(self, state: Tensor, memory: Annotations) -> tuple[Tensor, None]:
        """The context (B, H), the same for every state, and no weights."""
        half, rows = self.hidden_size // 2, torch.arange(len(state), device=state.device)
        ahead = memory.hidden[rows, memory.mask.sum(dim=1) - 1, :half]  # at the last word
        back = memory.hidden[:, 0, half:]  # at the first word
        return torch.cat([ahead, back], dim=1), None

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Outputs:
        """Logits of each token of `target`, given the true tokens before it (teacher forcing)."""
        memory, words = self.read(source, mask), self.embed_target(shift_right(target, self.end))
        context, _ = self.attend(memory.last, memory)
        contexts = context[:, None].expand(-1, words.shape[1], -1)  # (B, T, H)
        states, _ = self.decoder(torch.cat([words, contexts], dim=2), self.start(memory))
        return Outputs(self.predict(states, words, contexts), None)


class OneDirection(Translator):
    """The same with an encoder that reads from the first word to the last, and knows of no word what comes after it.

    The decoder's first state is computed from the encoder's last one.
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
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.encoder = GRU(embedding_size, hidden_size, generator)
        self.first_state = linear_(nn.Linear(hidden_size, hidden_size), generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
    ) -> Annotations:
        """Encode every source from its first word on. What stands where `mask` is False changes nothing."""
        hidden, last = self.encoder(self.embed_source(source), mask=mask)  # (B, S, H), (B, H)
        return Annotations(hidden, mask, torch.tanh(self.first_state(last)), self.key_proj(hidden))


class WordVectors(Translator):
    """The same without an encoder: attention reads the vectors of the words themselves, a linear map of each embedding.

    The decoder's first state is computed from their mean.
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
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.encoder = linear_(nn.Linear(embedding_size, hidden_size), generator)  # of each word by itself
        self.first_state = linear_(nn.Linear(hidden_size, hidden_size), generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
    ) -> Annotations:
        """The vectors of the words, whatever stands beside them. What stands where `mask` is False changes nothing."""
        hidden = self.encoder(self.embed_source(source)).where(mask[..., None], 0)  # (B, S, H)
        mean = hidden.sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return Annotations(hidden, mask, torch.tanh(self.first_state(mean)), self.key_proj(hidden))


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
    uniform = memory._replace(keys=torch.zeros_like(memory.keys))  # now all words score alike
    state, found = model.start(memory), []
    for token in shift_right(target, model.end).unbind(1):
        step = model.step(token, state, memory)
        without = model.step(token, state, uniform)
        found.append(step.logits.argmax(1) != without.logits.argmax(1))
        state = step.state
    return torch.stack(found, dim=1)
