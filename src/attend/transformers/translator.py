"""The Transformer: a translator made of attention, with nothing that steps through time.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3; lectures erdem2021attention and hu2019lecture16.
Departs  pre-norm by default, where the paper has post-norm (`norm`); the two embeddings and the output layer have
         weights of their own, since the vocabularies are small and different.
Agrees   torch.nn.Transformer with the same weights, in values and gradients; with a KV cache, one token at a time, the
         whole answer at once (tests/transformers/test_translator.py).
"""

import math
from typing import Annotated, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import embedding_, linear_
from attend.core.types import Below, DropRate, Mask, Plural, Positive, Tokens
from attend.soft.seq2seq import Step
from attend.transformers.blocks import DecoderBlock, EncoderBlock
from attend.transformers.heads import KVCache
from attend.transformers.positions import LearnedPositions, sinusoids
from attend.transformers.tiny_translator import TinyTranslator

POSITIONS = ("sinusoids", "learned", "none")


class Memory(NamedTuple):
    """An encoded source.

    The encoder's `outputs` (B, S, d_model); `mask` (B, S), True where there is a token; `last` (B, d_model), the first
    output, by which a search knows how many rows there are; and in `caches`, for each decoder block, the keys and
    values of its cross-attention.
    """

    outputs: Float[Tensor, "B S D"]
    mask: Bool[Tensor, "B S"]
    last: Float[Tensor, "B D"]
    caches: tuple[KVCache, ...]


class State(NamedTuple):
    """How far an answer is: its `length` (B), and the KV cache of each decoder block (none before the first token)."""

    length: Int[Tensor, "B"]
    caches: tuple[KVCache, ...]


class Transformer(TinyTranslator):
    """The listing's encoder and decoder with all options, and with a KV cache for generating.

    Embeddings are drawn with standard deviation 1 / √d_model and multiplied by √d_model; learned `positions` reach up
    to `max_length`. Token `end` of the target starts and ends every answer. A boolean mask (B, S) is True where the
    source has a token and False where it is padded. Raises ValueError for sizes that do not fit each other.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        d_model: Positive = 64,
        num_heads: Positive = 4,
        d_ff: Positive = 256,
        num_layers: Positive = 2,
        dropout: DropRate = 0.0,
        norm: Literal["pre", "post"] = "pre",
        positions: Literal["sinusoids", "learned", "none"] = "sinusoids",
        max_length: Positive = 64,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers, end)
        self.positions = positions
        self.learned = LearnedPositions(max_length, d_model) if positions == "learned" else None
        block = (d_model, num_heads, d_ff, dropout, norm)
        self.encoder = nn.ModuleList(EncoderBlock(*block) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderBlock(*block) for _ in range(num_layers))
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew."""
        for embedding in (self.source_embedding, self.target_embedding):
            embedding_(embedding, self.d_model**-0.5, generator)
        if self.learned is not None:
            self.learned.reset_parameters(generator)
        for block in (*self.encoder, *self.decoder):
            block.reset_parameters(generator)
        linear_(self.output, generator)

    @checked
    @torch.no_grad()
    def generate(
        self,
        source: Tokens["B S", "self.source_embedding.num_embeddings"],
        mask: Mask["B S"],
        max_length: Positive,
    ) -> Int[Tensor, "B {max_length}"]:
        """The most probable token, again and again; after the first `end` a row holds only `end`."""
        memory = self.read(source, mask)
        state, token = self.start(memory), torch.full_like(source[:, 0], self.end)
        tokens, over = [], torch.zeros_like(token, dtype=torch.bool)
        for _ in range(max_length):
            logits, state, _ = self.step(token, state, memory)
            token = logits.argmax(dim=-1).masked_fill(over, self.end)
            over = over | (token == self.end)
            tokens.append(token)
        return torch.stack(tokens, dim=1)

    @checked
    def read(self, source: Tokens["B S", "self.source_embedding.num_embeddings"], mask: Mask["B S"]) -> Memory:
        """Encode, and compute the keys and values of every cross-attention, once."""
        outputs = self.encode(source, mask)
        caches = tuple(block.cross_attn.keys_values(outputs) for block in self.decoder)
        return Memory(outputs, mask, outputs[:, 0], caches)

    def start(self, memory: Memory) -> State:
        """Nothing generated yet."""
        return State(memory.outputs.new_zeros(len(memory.outputs), dtype=torch.long), ())

    def step(self, token: Int[Tensor, "B"], state: State, memory: Memory) -> Step:
        """Take in the last token, and say what comes next: only the new position is computed."""
        x = self.embed(self.target_embedding, token[:, None], int(state.length[0]))  # (B, 1, d_model)
        caches = []
        for i, block in enumerate(self.decoder):
            past = state.caches[i] if state.caches else None
            x, cache = block.step(x, past, memory.caches[i], memory.mask[:, None, None])
            caches.append(cache)
        logits = self.output(self.decoder_norm(x))[:, 0]  # (B, V)
        return Step(logits, State(state.length + 1, tuple(caches)), None)

    def embed(self, embedding: nn.Embedding, tokens: Int[Tensor, "B T"], start: int = 0) -> Float[Tensor, "B T D"]:
        """Each token's vector with the encoding of its position, the first of which is `start`; then dropout."""
        x, T = embedding(tokens) * math.sqrt(self.d_model), tokens.shape[1]  # (B, T, d_model)
        if self.positions == "sinusoids":
            x = x + sinusoids(T, self.d_model, start, x.device).to(x.dtype)
        elif self.positions == "learned":
            x = x + self.learned(T, start)
        return self.dropout(x)
