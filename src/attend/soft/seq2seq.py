"""A sequence for a sequence: one unit reads the source, a second one starts from the last summary and writes.

Source   Sutskever et al. 2014, arXiv:1409.3215, eq. 1; lectures sankaran2019part5 and sankaran2019part4.
Departs  one layer of gated units (attend.gating.gru) for each half, in place of four of LSTM.
Agrees   torch.nn.GRU, torch.nn.Embedding and torch.nn.Linear put together, in values and gradients
         (tests/soft/test_seq2seq.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Positive, Tokens
from attend.gating.bidirectional import lengths
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right, two_vocabularies


class Memory(NamedTuple):
    """What reading leaves behind: the `summaries` of all steps (B, S, K), which of them are `mask` (B, S), and

    the `last` one (B, H), from which the writer starts.
    """

    summaries: Float[Tensor, "B S K"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B H"]


class Answers(NamedTuple):
    """`logits` of the next token after each step (B, T, V), and where the writer looked (B, T, S), if it looks."""

    logits: Float[Tensor, "B T V"]
    weights: Float[Tensor, "B T S"] | None


class Step(NamedTuple):
    """One step of writing: `logits` (B, V), the `state` to go on from, and `weights` (B, S), if the writer looks."""

    logits: Float[Tensor, "B V"]
    state: Float[Tensor, "B H"]
    weights: Float[Tensor, "B S"] | None


class Seq2Seq(nn.Module):
    """The last summary as the only bridge: all that the writer knows of a source of any length is one h of width H.

    `source_V` and `target_V` are the sizes of the two vocabularies, D the width of a word's vector; token `end` of the
    target starts and ends every answer. Raises ValueError for sizes that are not positive and an `end` that is no
    token.
    """

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        D: Positive,
        H: Positive,
        end: int = 0,
        generator: torch.Generator | None = None,
    ):
        two_vocabularies(source_V, target_V, end)
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_V, D), generator=generator)
        self.embed_target = embedding_(nn.Embedding(target_V, D), generator=generator)
        self.reader = GRU(D, H, generator=generator)
        self.writer = GRU(D, H, generator=generator)
        self.readout = linear_(nn.Linear(H, target_V), generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
    ) -> Memory:
        """Read every source. What `mask` hides changes nothing.

        Raises ValueError unless the visible steps of every row come first, at least one.
        """
        lengths(mask)
        x = self.embed_source(source)
        summaries, last = self.reader(x, mask=mask)
        return Memory(summaries, mask, last)

    @checked
    def start(self, memory: Memory) -> Float[Tensor, "B H"]:
        """What the writer knows before its first token: the last summary of the source."""
        return memory.last

    @checked
    def answer(self, summaries: Float[Tensor, "B T H"], memory: Memory) -> Answers:
        """What the writer's summaries say about the next token. Here they are all that is asked."""
        self._fits(summaries)
        return Answers(self.readout(summaries), None)

    @checked
    def step(
        self,
        token: Tokens["B", "self.embed_target.num_embeddings"],
        state: Float[Tensor, "B H"],
        memory: Memory,
    ) -> Step:
        """Read one token of one's own, and say what comes next."""
        state = self.writer.step(self.embed_target(token), state)
        logits, weights = self.answer(state[:, None], memory)
        looked = None if weights is None else weights[:, 0]
        return Step(logits[:, 0], state, looked)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Answers:
        """Logits of each token of `target`, when the true token before it is given: teacher forcing."""
        memory = self.read(source, mask)
        told = self.embed_target(shift_right(target, self.end))
        summaries, _ = self.writer(told, self.start(memory))
        return self.answer(summaries, memory)

    def _fits(self, summaries: Tensor) -> None:
        H = self.writer.hidden_size
        expect(summaries.shape[2] == H, "summaries", summaries, f"summaries of this writer's width H = {H}")
