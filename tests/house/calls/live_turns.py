"""Valid calls of attend.live.hierarchical."""

from attend.gating.hierarchical import FlatEncoderDecoder, HierarchicalEncoderDecoder
from attend.live.hierarchical import Dialogue
from attend.recipes.hierarchical import tensors

THING = {"values": ["a", "b"], "says": ["go {}", "{} it is"], "asks": "go ?", "answer": "go {}"}
WORDS = ["end", "a", "b", "go", "it", "is", "?"]

CALLS = {
    Dialogue: {
        "hierarchical": tensors(HierarchicalEncoderDecoder(7, 2, 3, 3)),
        "flat": tensors(FlatEncoderDecoder(7, 2, 3, 4)),
        "words": WORDS,
        "things": {"one": THING, "other": THING},
        "talk": ["it is"],
        "lengths": (8, 9),
    },
}
