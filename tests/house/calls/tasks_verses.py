"""Valid calls of attend.tasks.verses."""

import torch

from attend.tasks import verses

VERSE = verses.Verse("a", ("Βίβλος", "Ἰησοῦ"), ("book", "of"), ((0,), (0, 1)))
WORDS = (".", "…", "of")
PAIRS = verses.encode((VERSE,), WORDS, WORDS)
LINKS = torch.ones(1, 3, 3, dtype=torch.bool)

CALLS = {
    verses.load: {"part": "validation"},
    verses.find: {"name": "Mark 4:3"},
    verses.plain: {"word": "Λόγος"},
    verses.vocabulary: {"language": "greek", "V": 5},
    verses.encode: {"verses": (VERSE,), "greek": WORDS, "english": WORDS},
    verses.gold: {"verses": (VERSE,)},
    verses.chosen: {"weights": torch.ones(1, 3, 3), "pairs": PAIRS},
    verses.precision: {"found": LINKS, "possible": LINKS},
    verses.recall: {"found": LINKS, "sure": LINKS},
    verses.alignment_error_rate: {"found": LINKS, "sure": LINKS, "possible": LINKS},
}
GOOD = {verses.plain: {"word": {"word"}}}
