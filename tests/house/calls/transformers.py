"""Valid calls of attend.transformers: heads, places, blocks, gates, and one step of self-attention."""

import torch
from torch import nn

from attend.transformers.block import Beside, DecoderBlock, EncoderBlock, Normalise, Think
from attend.transformers.gates import as_printed, freed, recursive, shares, unrolled
from attend.transformers.multihead import MultiHead, earlier, side_by_side
from attend.transformers.position import Learned, rates, shift, sinusoids
from attend.transformers.self_attention import self_attention
from attend.transformers.translator import Transformer

HEADS, LEARNED, WRITES = MultiHead(4, 2), Learned(5, 4), DecoderBlock(4, 2, 3)
X, SOURCE = torch.ones(2, 3, 4), torch.ones(2, 5, 4)
VISIBLE, BACK = torch.ones(2, 5, dtype=torch.bool), earlier(3).expand(2, 3, 3)
KEEP, MAP = torch.full((2, 3, 4), 0.5), torch.ones(2, 4)
SIZES = {"D": 4, "K": 2, "F": 3, "order": "after", "drop": 0.1, "Q": 2, "R": 3, "residual": False}
DRAW = {"generator": torch.Generator()}
MODEL = Transformer(5, 4, 4, 2, 3, 1)
TOKENS = torch.tensor([[1, 2], [3, 4]])
MEMORY = MODEL.read(TOKENS, TOKENS > 0)

CALLS = {
    MultiHead: {"D": 4, "K": 2, "Q": 2, "R": 3, **DRAW},
    HEADS.remember: {"memory": SOURCE},
    HEADS.ask: {"x": X},
    HEADS.look: {"x": X, "there": HEADS.remember(SOURCE), "mask": VISIBLE},
    HEADS.forward: {"x": X, "memory": SOURCE, "mask": VISIBLE},
    earlier: {"T": 3, "S": 5},
    side_by_side: {"x": X, "maps": [nn.Linear(4, 2), nn.Linear(4, 3)]},
    Learned: {"places": 5, "D": 4, **DRAW},
    LEARNED.forward: {"T": 3, "start": 1},
    rates: {"D": 4},
    shift: {"by": 2, "D": 4},
    sinusoids: {"T": 3, "D": 4, "start": 1},
    Normalise: {"D": 4, "least": 1e-5},
    Normalise(4).forward: {"x": X},
    Think: {"D": 4, "F": 3, **DRAW},
    Think(4, 3).forward: {"x": X},
    Beside: {"D": 4, "order": "after", "drop": 0.1, "residual": False},
    Beside(4).forward: {"x": X, "part": Think(4, 3)},
    EncoderBlock: {**SIZES, **DRAW},
    EncoderBlock(4, 2, 3).forward: {"x": SOURCE, "mask": VISIBLE},
    DecoderBlock: {**SIZES, **DRAW},
    WRITES.forward: {"x": X, "memory": SOURCE, "earlier": BACK, "mask": VISIBLE},
    WRITES.step: {
        "x": X[:, :1],
        "written": WRITES.back.remember(X),
        "source": WRITES.across.remember(SOURCE),
        "mask": VISIBLE,
    },
    recursive: {"keep": KEEP, "candidates": X},
    shares: {"keep": KEEP},
    as_printed: {"keep": KEEP},
    unrolled: {"keep": KEEP, "candidates": X},
    freed: {"scores": torch.ones(2, 3, 3), "candidates": X},
    self_attention: {"x": SOURCE, "query": MAP, "key": MAP, "value": torch.ones(3, 4), "mask": VISIBLE},
    Transformer: {
        "source_V": 5,
        "target_V": 4,
        "N": 1,
        "positions": "learned",
        "places": 6,
        "end": 1,
        **SIZES,
        **DRAW,
    },
    MODEL.encode: {"source": TOKENS, "mask": TOKENS > 0},
    MODEL.forward: {"source": TOKENS, "mask": TOKENS > 0, "target": TOKENS % 4},
    MODEL.read: {"source": TOKENS, "mask": TOKENS > 0},
    MODEL.start: {"memory": MEMORY},
    MODEL.step: {"token": torch.tensor([1, 2]), "state": MODEL.start(MEMORY), "memory": MEMORY},
}
ZERO = {"drop": {"zero"}}
GOOD = {
    shift: {"by": {"zero", "negative"}},
    sinusoids: {"start": {"zero"}},
    LEARNED.forward: {"start": {"zero"}},
    Normalise(4).forward: {"x": {"rank"}},
    Beside: ZERO,
    EncoderBlock: ZERO,
    DecoderBlock: ZERO,
    Transformer: {**ZERO, "end": {"zero"}},
}
