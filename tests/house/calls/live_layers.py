"""Valid calls of attend.live.translator."""

from attend.live.translator import TransformerHeads
from attend.transformers.translator import Transformer

CALLS = {
    TransformerHeads: {
        "tensors": Transformer(3, 4, 4, 2, 5, 2).state_dict(),
        "english": ["and", "one", "two"],
        "german": ["end", "eins", "zwei", "drei"],
        "K": 2,
        "number": 12,
        "place": "decoder",
        "layer": 1,
        "head": 2,
        "end": 1,
    },
}
GOOD = {TransformerHeads: {"number": {"zero"}, "end": {"zero"}}}
