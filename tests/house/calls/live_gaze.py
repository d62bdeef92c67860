"""Valid calls of attend.live.translation."""

from attend.live.translation import Alignment
from attend.soft.translation import Translator

CALLS = {
    Alignment: {
        "tensors": Translator(3, 4, 2, 4).state_dict(),
        "english": ["and", "one", "two"],
        "german": ["end", "eins", "zwei", "drei"],
        "number": 12,
        "end": 1,
    },
}
GOOD = {Alignment: {"number": {"zero"}, "end": {"zero"}}}
