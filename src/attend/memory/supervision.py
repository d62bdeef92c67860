"""Three ways to teach one unit: a label for the sequence, a label for each step, a sequence for a sequence.

Source   Elman 1990, Finding structure in time (a label each step); Sutskever et al. 2014, arXiv:1409.3215, eq. 1 (a
         sequence for a sequence); lecture sankaran2019part5 (all three).
Departs  the unit is Elman's in all three, where Sutskever et al. had four layers of LSTM.
Agrees   torch.nn.RNN, torch.nn.Embedding and torch.nn.Linear put together, in values and gradients
         (tests/memory/test_supervision.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.memory.elman import Elman

POOLINGS = ("mean", "last")


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


class Embedding(nn.Module):
    """A vector for each of V tokens: the rows of one matrix (V, D), drawn with standard deviation `scale`."""

    @checked
    def __init__(self, V: int, D: int, scale: float = 1.0, generator: torch.Generator | None = None):
        expect(V > 1, "V", V, "a whole number above 1")
        expect(D > 0, "D", D, "a positive whole number")
        expect(0 < scale < float("inf"), "scale", scale, "a positive number")
        super().__init__()
        self.rows = nn.Parameter(scale * torch.randn(V, D, generator=generator))

    @checked
    def forward(self, tokens: Int[Tensor, "..."]) -> Float[Tensor, "... D"]:
        """The vectors of `tokens`. Raises ValueError for a token outside 0 to V - 1."""
        V = len(self.rows)
        there = tokens.numel() > 0 and bool((tokens >= 0).all() and (tokens < V).all())
        expect(there, "tokens", tokens, f"at least one token, each from 0 to V - 1 = {V - 1}")
        return self.rows[tokens]


class Readout(nn.Module):
    """A linear answer to a summary: weights (O, H), uniform in ±√(1 / H) at the start, and a bias (O)."""

    @checked
    def __init__(self, H: int, O: int, generator: torch.Generator | None = None):
        expect(H > 0, "H", H, "a positive whole number")
        expect(O > 0, "O", O, "a positive whole number")
        super().__init__()
        self.weights = nn.Parameter(torch.empty(O, H).uniform_(-(H**-0.5), H**-0.5, generator=generator))
        self.bias = nn.Parameter(torch.zeros(O))

    @checked
    def forward(self, summary: Float[Tensor, "... H"]) -> Float[Tensor, "... O"]:
        """The answer to each summary. Raises ValueError for summaries of another width."""
        H = self.weights.shape[1]
        expect(summary.shape[-1] == H, "summary", summary, f"summaries of width H = {H}")
        return summary @ self.weights.T + self.bias


class Labeller(nn.Module):
    """One label a sequence: read all of it, pool the summaries, answer once with the log-odds of "yes".

    `pooling` "mean" answers from the mean summary, "last" from the last one; `radius` is how much of the last summary
    the unit hands on at the start. Raises ValueError for a width that is not positive and for an unknown pooling.
    """

    @checked
    def __init__(
        self,
        V: int,
        D: int,
        H: int,
        pooling: str = "mean",
        radius: float = 1.0,
        generator: torch.Generator | None = None,
    ):
        expect(pooling in POOLINGS, "pooling", pooling, f"one of {', '.join(POOLINGS)}")
        super().__init__()
        self.pooling = pooling
        self.embed = Embedding(V, D, 0.1, generator)  # small: a word seen twice should not shout
        self.unit = Elman(D, H, radius, generator)
        self.readout = Readout(H, 1, generator)

    @checked
    def forward(self, tokens: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"]) -> Reading:
        """The verdict on each row. What `mask` hides, wherever it stands, changes nothing."""
        summaries, _ = self.unit.sequence(self.embed(tokens), mask=mask)
        pooled = pool(summaries, mask) if self.pooling == "mean" else summaries
        so_far = self.readout(pooled).squeeze(-1)
        return Reading(so_far[:, -1], so_far, summaries)


class Predictor(nn.Module):
    """One label a step: after each token, a score for every token that may come next."""

    @checked
    def __init__(self, V: int, D: int, H: int, generator: torch.Generator | None = None):
        super().__init__()
        self.embed = Embedding(V, D, generator=generator)
        self.unit = Elman(D, H, generator=generator)
        self.readout = Readout(H, V, generator)

    @checked
    def start(self, batch: int) -> Float[Tensor, "B H"]:
        """The empty summary, one row for each of `batch` sequences."""
        return self.unit.start(batch)

    @checked
    def forward(
        self, tokens: Int[Tensor, "B T"], state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B H"]]:
        """Logits of the token that follows each of `tokens`, and the summary to read on from."""
        summaries, state = self.unit.sequence(self.embed(tokens), state)
        return self.readout(summaries), state

    @checked
    @torch.no_grad()
    def write(
        self, prompt: Int[Tensor, "T"], steps: int, generator: torch.Generator, temperature: float = 1.0
    ) -> Int[Tensor, "_"]:
        """Go on for `steps` tokens after `prompt`, each drawn from the model's own prediction and read in turn."""
        expect(steps > 0, "steps", steps, "a positive whole number")
        expect(0 < temperature < float("inf"), "temperature", temperature, "a positive number")
        logits, state = self(prompt.unsqueeze(0), self.start(1))
        written = []
        for _ in range(steps):
            ladder = (logits[0, -1] / temperature).softmax(-1).cumsum(-1)
            drawn = torch.searchsorted(ladder, torch.rand(1, generator=generator))
            written.append(drawn.clamp(max=len(ladder) - 1))
            logits, state = self(written[-1].unsqueeze(0), state)
        return torch.cat(written)


@checked
def before(target: Int[Tensor, "B T"], end: int) -> Int[Tensor, "B T"]:
    """The token that stands before each one of `target`; before the first stands `end`."""
    expect(end >= 0, "end", end, "a token, 0 or more")
    start = torch.full_like(target[:, :1], end)
    return torch.cat([start, target[:, :-1]], dim=1)


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
        self, source_V: int, target_V: int, D: int, H: int, end: int = 0, generator: torch.Generator | None = None
    ):
        two_vocabularies(source_V, target_V, end)
        super().__init__()
        self.end = end
        self.embed_source = Embedding(source_V, D, generator=generator)
        self.embed_target = Embedding(target_V, D, generator=generator)
        self.reader = Elman(D, H, generator=generator)
        self.writer = Elman(D, H, generator=generator)
        self.readout = Readout(H, target_V, generator)

    @checked
    def read(self, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"]) -> Float[Tensor, "B H"]:
        """The one summary of each source that the writer starts from."""
        return self.reader.sequence(self.embed_source(source), mask=mask)[1]

    @checked
    def forward(
        self, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T V"]:
        """Logits of each token of `target`, when the true token before it is given (teacher forcing)."""
        told = self.embed_target(before(target, self.end))
        summaries, _ = self.writer.sequence(told, self.read(source, mask))
        return self.readout(summaries)

    @checked
    @torch.no_grad()
    def write(
        self,
        source: Int[Tensor, "B S"],
        mask: Bool[Tensor, "B S"],
        steps: int,
    ) -> Int[Tensor, "B T"]:
        """The likeliest token at each of `steps` steps, given the model's own tokens before it (free running).

        After the first `end` a row holds only `end`.
        """
        expect(steps > 0, "steps", steps, "a positive whole number")
        state = self.read(source, mask)
        token = torch.full_like(source[:, 0], self.end)
        written, over = [], torch.zeros_like(token, dtype=torch.bool)
        for _ in range(steps):
            h, state = self.writer(self.embed_target(token), state)
            token = self.readout(h).argmax(-1).masked_fill(over, self.end)
            over = over | (token == self.end)
            written.append(token)
        return torch.stack(written, dim=1)
