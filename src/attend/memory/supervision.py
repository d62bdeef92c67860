"""Three ways to train one RNN: a label for the sequence, a label at each step, a sequence for a sequence.

Source   Elman 1990, Finding structure in time (a label at each step); Sutskever et al. 2014, arXiv:1409.3215, eq. 1 (a
         sequence for a sequence); lecture sankaran2019part5 (all three).
Departs  the layer is Elman's in all three, where Sutskever et al. had four layers of LSTM.
Agrees   torch.nn.RNN, torch.nn.Embedding and torch.nn.Linear put together, in values and gradients
         (tests/memory/test_supervision.py).
"""

from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import embedding_, linear_
from attend.core.types import Below, Mask, NonNegative, NonNegativeFloat, Plural, Positive, PositiveFloat, Tokens
from attend.memory.elman import RNN


class LanguageModel(nn.Module):
    """Many-to-many: after each token an RNN gives the logits of the next one."""

    @checked
    def __init__(self, vocab_size: Plural, embedding_size: Positive, hidden_size: Positive):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.rnn = RNN(embedding_size, hidden_size)
        self.head = nn.Linear(hidden_size, vocab_size)

    @checked
    def forward(
        self,
        tokens: Tokens["B T", "self.embed.num_embeddings"],
        state: Float[Tensor, "B {self.rnn.hidden_size}"] | None = None,
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B H"]]:
        """Logits of the token that follows each of `tokens`, and the hidden state to read on from."""
        hidden, state = self.rnn(self.embed(tokens), state)  # (B, T, H), (B, H)
        return self.head(hidden), state  # (B, T, V)

    @checked
    @torch.no_grad()
    def generate(
        self,
        tokens: Tokens["B T", "self.embed.num_embeddings"],
        steps: Positive,
        temperature: PositiveFloat = 1.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "B U"]:
        """`tokens`, continued by `steps` more, each drawn from the prediction and read in turn."""
        logits, state = self(tokens)
        for _ in range(steps):
            probs = (logits[:, -1] / temperature).softmax(dim=1)  # (B, V)
            new = torch.multinomial(probs, 1, generator=generator)  # (B, 1)
            tokens = torch.cat([tokens, new], dim=1)
            logits, state = self(new, state)
        return tokens


class SequenceClassifier(nn.Module):
    """Many-to-one: an RNN reads the whole sequence, and one logit of "yes" is read from the mean of its hidden states.

    The embeddings start small, so that words seen once or twice say little.
    """

    @checked
    def __init__(self, vocab_size: Plural, embedding_size: Positive, hidden_size: Positive):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.rnn = RNN(embedding_size, hidden_size, radius=0.5)
        self.head = nn.Linear(hidden_size, 1)
        nn.init.normal_(self.embed.weight, std=0.1)

    @checked
    def forward(self, tokens: Tokens["B T", "self.embed.num_embeddings"], mask: Mask["B T"]) -> Float[Tensor, "B"]:
        """The logit of each row. Padding, where `mask` is False, changes nothing wherever it stands."""
        hidden, _ = self.rnn(self.embed(tokens), mask=mask)  # (B, T, H)
        real = mask.unsqueeze(2)  # (B, T, 1)
        mean = (hidden * real).sum(dim=1) / real.sum(dim=1)  # (B, H)
        return self.head(mean).squeeze(1)  # (B)


@checked
def shift_right(target: Int[Tensor, "B T"], start: NonNegative) -> Int[Tensor, "B T"]:
    """The decoder's input under teacher forcing: token `start`, then all tokens of `target` but the last."""
    return torch.cat([torch.full_like(target[:, :1], start), target[:, :-1]], dim=1)


class EncoderDecoder(nn.Module):
    """A sequence for a sequence: an RNN encodes the source, and a second one, the decoder, starts from its final state.

    All that the decoder gets of any source is that one hidden state. Token `end` of the target vocabulary starts and
    ends every target. `radius` scales the recurrent weights at initialisation, as in RNN.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("target_vocab")] = 0,
        radius: NonNegativeFloat = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_vocab, embedding_size), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_vocab, embedding_size), generator=generator)
        self.encoder = RNN(embedding_size, hidden_size, radius, generator)
        self.decoder = RNN(embedding_size, hidden_size, radius, generator)
        self.readout = linear_(nn.Linear(hidden_size, target_vocab), generator)

    @checked
    def encode(
        self, source: Tokens["B S", "self.embed_source.num_embeddings"], mask: Mask["B S"]
    ) -> Float[Tensor, "B H"]:
        """The encoder's final hidden state, from which the decoder starts."""
        _, state = self.encoder(self.embed_source(source), mask=mask)
        return state

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Mask["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of each token of `target`, given the true tokens before it (teacher forcing)."""
        previous = self.embed_target(shift_right(target, self.end))
        hidden, _ = self.decoder(previous, self.encode(source, mask))
        return self.readout(hidden)

    @checked
    @torch.no_grad()
    def generate(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Mask["B S"],
        steps: Positive,
    ) -> Int[Tensor, "B T"]:
        """The likeliest token at each of `steps` steps, given the model's own tokens before it (free-running).

        After the first `end` a row holds only `end`.
        """
        state = self.encode(source, mask)
        token = torch.full_like(source[:, 0], self.end)
        ended: Bool[Tensor, " B"] = torch.zeros_like(token, dtype=torch.bool)
        tokens = []
        for _ in range(steps):
            state = self.decoder.step(self.embed_target(token), state)
            token = self.readout(state).argmax(-1).masked_fill(ended, self.end)
            ended = ended | (token == self.end)
            tokens.append(token)
        return torch.stack(tokens, dim=1)
