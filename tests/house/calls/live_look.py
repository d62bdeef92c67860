"""Valid calls of attend.live.read."""

from attend.live.read import ContentOrLocation
from attend.soft.read import AttentionSeq2Seq

CALLS = {
    ContentOrLocation: {
        "content": AttentionSeq2Seq(3, 4, 2, 4).state_dict(),
        "location": AttentionSeq2Seq(3, 4, 2, 4, "location", max_length=5).state_dict(),
        "english": ["and", "one", "two"],
        "german": ["end", "eins", "zwei", "drei"],
        "number": 12,
        "end": 1,
    },
}
GOOD = {ContentOrLocation: {"number": {"zero"}, "end": {"zero"}}}
