"""Three ways to teach one unit: a label for the sequence, a label for each step, a sequence for a sequence.

Source   Elman 1990, Finding structure in time (a label each step); Sutskever et al. 2014, arXiv:1409.3215, eq. 1 (a
         sequence for a sequence); lecture sankaran2019part5 (all three).
Departs  the unit is Elman's in all three, where Sutskever et al. had four layers of LSTM.
Agrees   torch.nn.RNN, torch.nn.Embedding and torch.nn.Linear put together, in values and gradients
         (tests/memory/test_supervision.py).
"""

from typing import Annotated, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Below, Mask, NonNegative, NonNegativeFloat, Plural, Positive, PositiveFloat, Tokens
from attend.memory.elman import RNN


class Reading(NamedTuple):
    """What a reader says: `logit` (B) of the whole, `so_far` (B, T) after each step, and its `summaries` (B, T, H)."""

    logit: Float[Tensor, "B"]
    so_far: Float[Tensor, "B T"]
    summaries: Float[Tensor, "B T H"]


@checked
def pool(
    summaries: Float[Tensor, "B T H"],
    mask: Bool[Tensor, "B T"],
) -> Float[Tensor, "B T H"]:
    """The mean of the visible summaries up to each step; the last column is the mean over the whole sequence.

    What is not visible adds nothing, neither to the sum nor to the count. Before the first visible step the mean is
    zero.
    """
    there = mask.unsqueeze(-1).to(summaries.dtype)
    return (summaries * there).cumsum(1) / there.cumsum(1).clamp(min=1)


class Labeller(nn.Module):
    """One label a sequence: read all of it, pool the summaries, answer once with the log-odds of "yes".

    `pooling` "mean" answers from the mean summary, "last" from the last one; `radius` is how much of the last summary
    the unit hands on at the start. Raises ValueError for a width that is not positive and for an unknown pooling.
    """

    @checked
    def __init__(
        self,
        V: Plural,
        D: Positive,
        H: Positive,
        pooling: Literal["mean", "last"] = "mean",
        radius: NonNegativeFloat = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.pooling = pooling
        self.embed = embedding_(nn.Embedding(V, D), 0.1, generator)  # small: a word seen twice should not shout
        self.unit = RNN(D, H, radius, generator)
        self.readout = linear_(nn.Linear(H, 1), generator)

    @checked
    def forward(self, tokens: Tokens["B T", "self.embed.num_embeddings"], mask: Mask["B T"]) -> Reading:
        """The verdict on each row. What `mask` hides, wherever it stands, changes nothing."""
        summaries, _ = self.unit(self.embed(tokens), mask=mask)
        pooled = pool(summaries, mask) if self.pooling == "mean" else summaries
        so_far = self.readout(pooled).squeeze(-1)
        return Reading(so_far[:, -1], so_far, summaries)


class Predictor(nn.Module):
    """One label a step: after each token, a score for every token that may come next."""

    @checked
    def __init__(self, V: Plural, D: Positive, H: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = embedding_(nn.Embedding(V, D), generator=generator)
        self.unit = RNN(D, H, generator=generator)
        self.readout = linear_(nn.Linear(H, V), generator)

    @checked
    def forward(
        self,
        tokens: Tokens["B T", "self.embed.num_embeddings"],
        state: Float[Tensor, "B {self.unit.hidden_size}"] | None = None,
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B H"]]:
        """Logits of the token that follows each of `tokens`, and the summary to read on from."""
        summaries, state = self.unit(self.embed(tokens), state)
        return self.readout(summaries), state

    @checked
    @torch.no_grad()
    def write(
        self,
        prompt: Tokens["T", "self.embed.num_embeddings"],
        steps: Positive,
        generator: torch.Generator,
        temperature: PositiveFloat = 1.0,
    ) -> Int[Tensor, "_"]:
        """Go on for `steps` tokens after `prompt`, each drawn from the model's own prediction and read in turn."""
        logits, state = self(prompt.unsqueeze(0))
        written = []
        for _ in range(steps):
            ladder = (logits[0, -1] / temperature).softmax(-1).cumsum(-1)
            drawn = torch.searchsorted(ladder, torch.rand(1, generator=generator))
            written.append(drawn.clamp(max=len(ladder) - 1))
            logits, state = self(written[-1].unsqueeze(0), state)
        return torch.cat(written)


@checked
def shift_right(target: Int[Tensor, "B T"], start: NonNegative) -> Int[Tensor, "B T"]:
    """The decoder's input under teacher forcing: token `start`, then all tokens of `target` but the last."""
    return torch.cat([torch.full_like(target[:, :1], start), target[:, :-1]], dim=1)


@checked
def two_vocabularies(source_V: int, target_V: int, end: int) -> None:
    """Refuse vocabularies of fewer than two tokens, and an `end` that is no token of the target, by ValueError."""
    expect(source_V > 1, "source_V", source_V, "a whole number above 1")
    expect(target_V > 1, "target_V", target_V, "a whole number above 1")
    expect(0 <= end < target_V, "end", end, f"a token from 0 to target_V - 1 = {target_V - 1}")


class EncoderDecoder(nn.Module):
    """A sequence for a sequence: one unit reads the source, a second starts from its last summary and writes.

    `source_V` and `target_V` are the sizes of the two vocabularies; token `end` of the target starts and ends every
    answer. All that the writer knows of the source is one summary of width H.
    """

    @checked
    def __init__(
        self,
        source_V: Plural,
        target_V: Plural,
        D: Positive,
        H: Positive,
        end: Annotated[int, Below("target_V")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_V, D), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_V, D), generator=generator)
        self.reader = RNN(D, H, generator=generator)
        self.writer = RNN(D, H, generator=generator)
        self.readout = linear_(nn.Linear(H, target_V), generator)

    @checked
    def read(
        self, source: Tokens["B S", "self.embed_source.num_embeddings"], mask: Mask["B S"]
    ) -> Float[Tensor, "B H"]:
        """The one summary of each source that the writer starts from."""
        return self.reader(self.embed_source(source), mask=mask)[1]

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Mask["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of each token of `target`, when the true token before it is given (teacher forcing)."""
        told = self.embed_target(shift_right(target, self.end))
        summaries, _ = self.writer(told, self.read(source, mask))
        return self.readout(summaries)

    @checked
    @torch.no_grad()
    def write(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Mask["B S"],
        steps: Positive,
    ) -> Int[Tensor, "B T"]:
        """The likeliest token at each of `steps` steps, given the model's own tokens before it (free running).

        After the first `end` a row holds only `end`.
        """
        state = self.read(source, mask)
        token = torch.full_like(source[:, 0], self.end)
        written, over = [], torch.zeros_like(token, dtype=torch.bool)
        for _ in range(steps):
            state = self.writer.step(self.embed_target(token), state)
            token = self.readout(state).argmax(-1).masked_fill(over, self.end)
            over = over | (token == self.end)
            written.append(token)
        return torch.stack(written, dim=1)
