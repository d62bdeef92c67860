"""Valid calls of attend.transformers: heads, positions, blocks, gates, whole models, and one step of self-attention."""

import torch

from attend.transformers.ablated import AblatedTransformer, PlainDecoderBlock, PlainEncoderBlock
from attend.transformers.blocks import DecoderBlock, EncoderBlock, FeedForward
from attend.transformers.gates import (
    gate_weights,
    gate_weights_as_printed,
    gated_update,
    softmax_update,
    unrolled_update,
)
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.positions import LearnedPositions, frequencies, shift_matrix, sinusoids
from attend.transformers.self_attention import attention, causal_mask, self_attention
from attend.transformers.tiny_transformer import Block, CausalSelfAttention, TinyTransformer
from attend.transformers.translator import Transformer

X, SOURCE = torch.ones(2, 3, 4), torch.ones(2, 5, 4)
PADDING = torch.ones(2, 1, 1, 5, dtype=torch.bool)
UPDATE, MATRIX = torch.full((2, 3, 4), 0.5), torch.ones(2, 4)
DRAW = {"generator": torch.Generator()}
SIZES = {"d_model": 4, "num_heads": 2, "d_ff": 3, "dropout": 0.1, "norm": "post", **DRAW}
MODEL, TOKENS = Transformer(5, 4, 4, 2, 3, 1), torch.tensor([[1, 2], [3, 3]])
LEARNED, TINY = LearnedPositions(5, 4), TinyTransformer(5, 4, 2, 1, 3)
GIVEN = {"source": TOKENS, "mask": TOKENS > 0}
CROSS = {"x": X, "memory": SOURCE, "mask": causal_mask(3), "memory_mask": PADDING}

CALLS = {
    attention: {"query": X, "key": SOURCE, "value": torch.ones(2, 5, 3), "mask": torch.ones(3, 5, dtype=torch.bool)},
    causal_mask: {"T": 3, "S": 5},
    self_attention: {
        "x": SOURCE,
        "w_query": MATRIX,
        "w_key": MATRIX,
        "w_value": torch.ones(3, 4),
        "mask": causal_mask(5),
    },
    MultiHeadAttention: {"d_model": 4, "num_heads": 2, **DRAW},
    MultiHeadAttention(4, 2).forward: {"x": X, "memory": SOURCE, "mask": PADDING},
    LearnedPositions: {"max_length": 5, "d_model": 4, **DRAW},
    LEARNED.forward: {"T": 3, "start": 1},
    frequencies: {"d_model": 4},
    shift_matrix: {"offset": 2, "d_model": 4},
    sinusoids: {"T": 3, "d_model": 4, "start": 1},
    FeedForward: {"d_model": 4, "d_ff": 3, **DRAW},
    FeedForward(4, 3).forward: {"x": X},
    EncoderBlock: SIZES,
    EncoderBlock(4, 2, 3).forward: {"x": SOURCE, "mask": PADDING},
    DecoderBlock: SIZES,
    DecoderBlock(4, 2, 3).forward: CROSS,
    PlainEncoderBlock(4, 2, 3).forward: {"x": SOURCE, "mask": PADDING},
    PlainDecoderBlock(4, 2, 3).forward: CROSS,
    gated_update: {"update": UPDATE, "candidate": X},
    gate_weights: {"update": UPDATE},
    gate_weights_as_printed: {"update": UPDATE},
    unrolled_update: {"update": UPDATE, "candidate": X},
    softmax_update: {"scores": torch.ones(2, 3, 3), "candidate": X},
    CausalSelfAttention: {"d_model": 4, "num_heads": 2, **DRAW},
    CausalSelfAttention(4, 2).forward: {"x": X},
    Block: {"d_model": 4, "num_heads": 2, **DRAW},
    Block(4, 2).forward: {"x": X},
    TinyTransformer: {"vocab_size": 5, "d_model": 4, "num_heads": 2, "num_layers": 1, "context": 3, **DRAW},
    TINY.forward: {"tokens": TOKENS},
    TINY.generate: {"tokens": TOKENS, "steps": 2, "temperature": 0.5, **DRAW},
    Transformer: {
        "source_vocab": 5,
        "target_vocab": 4,
        "num_layers": 1,
        "positions": "learned",
        "max_length": 6,
        "end": 1,
        **SIZES,
    },
    AblatedTransformer: {
        "source_vocab": 5,
        "target_vocab": 4,
        "d_key": 2,
        "residual": False,
        "normalise": False,
        **DRAW,
    },
    MODEL.encode: GIVEN,
    MODEL.decode: {"tokens": TOKENS, "memory": torch.ones(2, 2, 4), "mask": TOKENS > 0},
    MODEL.forward: {**GIVEN, "target": TOKENS},
    MODEL.read: GIVEN,
    MODEL.generate: {**GIVEN, "max_length": 3},
}
ZERO = {"dropout": {"zero"}}
GOOD = {
    attention: {"mask": {"rank"}},
    self_attention: {"mask": {"rank"}},
    shift_matrix: {"offset": {"zero", "negative"}},
    sinusoids: {"start": {"zero"}},
    LEARNED.forward: {"start": {"zero"}},
    EncoderBlock: ZERO,
    DecoderBlock: ZERO,
    Transformer: {**ZERO, "end": {"zero"}},
}
