"""Valid calls of attend.tasks.split, .reviews, .plays and .numbers."""

import torch

from attend.tasks import numbers, plays, reviews, split

LOGITS, LETTERS = torch.zeros(2, 3, 4), torch.tensor([[1, 0, 3], [2, 1, 0]])
ASKED = torch.tensor([[True, True, True], [True, False, False]])

CALLS = {
    split.part_of: {"text": "a film"},
    split.known_part: {"part": "test"},
    reviews.load: {"part": "validation"},
    reviews.words: {"text": "It isn't!"},
    reviews.vocabulary: {"V": 5},
    reviews.encode: {"texts": ["a film", "it"], "vocabulary": ("…", "a", "film")},
    reviews.whole: {"part": "validation", "vocabulary": ("…", "a", "film")},
    reviews.batches: {"vocabulary": ("…", "a"), "B": 2, "hide": 0.5, "generator": torch.Generator()},
    reviews.cost: {"logit": torch.zeros(2), "kind": torch.ones(2)},
    reviews.accuracy: {"logit": torch.zeros(2), "kind": torch.ones(2)},
    reviews.example: {"part": "train"},
    plays.scenes: {"part": "validation"},
    plays.encode: {"text": "Who's there?"},
    plays.spell: {"tokens": torch.tensor([1, 2])},
    plays.stream: {"part": "validation"},
    plays.pages: {"part": "validation", "T": 500},
    plays.batches: {"B": 2, "T": 3},
    plays.cost: {"logits": LOGITS, "letters": LETTERS},
    numbers.english: {"n": 42},
    numbers.german: {"n": 42},
    numbers.numbers: {"part": "test", "digits": 2, "most": 10},
    numbers.encode: {"numbers": (7, 42)},
    numbers.spell: {"tokens": torch.tensor([1, 2])},
}
WORD = {"text": {"word"}}
GOOD = {
    split.part_of: WORD,
    reviews.words: WORD,
    plays.encode: WORD,
    numbers.english: {"n": {"zero"}},
    numbers.german: {"n": {"zero"}},
}
