"""The Transformer: a translator in which every word looks at every other, and nothing steps through time.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3; lectures erdem2021attention and hu2019lecture16.
Departs  normalised before each part, where the paper does so after (`order`); the word vectors of the two languages
         and the readout have weights of their own, since the vocabularies are small and different.
Agrees   torch.nn.Transformer with the same weights, in values and gradients; step by step with what is remembered, the
         whole answer at once (tests/transformers/test_translator.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Tokens
from attend.memory.supervision import shift_right, two_vocabularies
from attend.soft.seq2seq import Step
from attend.transformers.block import ORDERS, DecoderBlock, EncoderBlock, Normalise
from attend.transformers.multihead import Remembered, earlier
from attend.transformers.position import Learned, sinusoids

POSITIONS = ("sinusoids", "learned", "none")


class Understood(NamedTuple):
    """A source that was read: the `summaries` of its words (B, S, D), which of them are `mask` (B, S), and what

    each decoder block remembers of them. `last` (B, D), the first summary, tells a search how many rows there are.
    """

    summaries: Float[Tensor, "B S D"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B D"]
    across: tuple[Remembered, ...]


class Writing(NamedTuple):
    """How far an answer is: `count` (B) words so far, and what each block remembers of them (none before the first)."""

    count: Int[Tensor, "B"]
    back: tuple[Remembered, ...]


class Transformer(nn.Module):
    """N blocks that read the source, N that write the answer, words and places as vectors of width D.

    K heads look in each block and F units think; `order`, `drop`, `residual` and the head widths `Q` and `R` are those
    of attend.transformers.block. Word vectors are drawn with standard deviation 1 / √D and times √D when they are used;
    `positions` is one of POSITIONS, learned ones know `places` places. Token `end` of the target starts and ends every
    answer. Raises ValueError for sizes that are not positive, unknown names and an `end` that is no token.
    """

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        D: int = 64,
        K: int = 4,
        F: int = 256,
        N: int = 2,
        order: str = "before",
        positions: str = "sinusoids",
        drop: float = 0.0,
        Q: int | None = None,
        R: int | None = None,
        residual: bool = True,
        places: int = 64,
        end: int = 0,
        generator: torch.Generator | None = None,
    ):
        two_vocabularies(source_V, target_V, end)
        for name, size in (("D", D), ("F", F), ("N", N)):
            expect(size > 0, name, size, "a positive whole number")
        expect(positions in POSITIONS, "positions", positions, f"one of {', '.join(POSITIONS)}")
        super().__init__()
        self.D, self.end, self.positions = D, end, positions
        self.embed_source = embedding_(nn.Embedding(source_V, D), D**-0.5, generator)
        self.embed_target = embedding_(nn.Embedding(target_V, D), D**-0.5, generator)
        self.placed = Learned(places, D, generator) if positions == "learned" else None
        sizes = (D, K, F, order, drop, Q, R, residual, generator)
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(N))
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(N))
        self.norms = nn.ModuleList(Normalise(D) if order in ORDERS else nn.Identity() for _ in range(2))
        self.drop, self.readout = nn.Dropout(drop), linear_(nn.Linear(D, target_V), generator)

    @checked
    def encode(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
    ) -> Float[Tensor, "B S D"]:
        """A summary of every source word that has looked at all visible ones."""
        x = self._vectors(self.embed_source(source))
        for block in self.encoder:
            x = block(x, mask)
        return self.norms[0](x)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of each token of `target`, when the true tokens before it are given: all steps at once."""
        memory, T = self.encode(source, mask), target.shape[1]
        x = self._vectors(self.embed_target(shift_right(target, self.end)))
        back = earlier(T).expand(len(x), T, T)
        for block in self.decoder:
            x = block(x, memory, back, mask)
        return self.readout(self.norms[1](x))

    @checked
    def read(self, source: Tokens["B S", "self.embed_source.num_embeddings"], mask: Bool[Tensor, "B S"]) -> Understood:
        """Read every source, and make the keys and values that the decoder will look at, once."""
        summaries = self.encode(source, mask)
        across = tuple(block.across.remember(summaries) for block in self.decoder)
        return Understood(summaries, mask, summaries[:, 0], across)

    @checked
    def start(self, memory: Understood) -> Writing:
        """Nothing written yet."""
        return Writing(torch.zeros(len(memory.summaries), dtype=torch.long), ())

    @checked
    def step(
        self,
        token: Tokens["B", "self.embed_target.num_embeddings"],
        state: Writing,
        memory: Understood,
    ) -> Step:
        """Take in one's own last token, and say what comes next: only the new step is computed.

        `weights` of the result (B, S) is where the last block looked in the source, the mean over its heads.
        """
        place, back = int(state.count[0]), []
        x = self._vectors(self.embed_target(token)[:, None], place)
        for i, block in enumerate(self.decoder):
            written = state.back[i] if state.back else None
            source = memory.across[i]
            x, kept, _, looked = block.step(x, written, source, memory.mask)
            back.append(kept)
        logits = self.readout(self.norms[1](x))[:, 0]
        now = Writing(state.count + 1, tuple(back))
        return Step(logits, now, looked.mean(dim=1)[:, 0])

    def _vectors(self, words: Tensor, start: int = 0) -> Tensor:
        """Word vectors (B, T, D), scaled, with the vectors of places `start` to start + T - 1 added."""
        x, T = words * self.D**0.5, words.shape[1]
        if self.positions == "sinusoids":
            x = x + sinusoids(T, self.D, start).to(x)
        elif self.placed is not None:
            x = x + self.placed(T, start)
        return self.drop(x)
