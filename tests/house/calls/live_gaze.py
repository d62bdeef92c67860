"""Valid calls of attend.live.gaze."""

from attend.live.gaze import Gaze
from attend.soft.translation import Translator

CALLS = {
    Gaze: {
        "tensors": Translator(3, 4, 2, 4).state_dict(),
        "english": ["and", "one", "two"],
        "german": ["end", "eins", "zwei", "drei"],
        "number": 12,
        "end": 1,
    },
}
GOOD = {Gaze: {"number": {"zero"}, "end": {"zero"}}}
