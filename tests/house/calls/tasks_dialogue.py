"""Valid calls of attend.tasks.dialogue and attend.tasks.turns."""

import torch

from attend.tasks import dialogue, turns

PARTS = dialogue.turns(8, torch.Generator().manual_seed(0), versions=2)
HEARD = turns.exchanges("validation")
SCORED = {
    "logits": torch.zeros(2, 3, 4),
    "answer": torch.ones(2, 3, dtype=torch.long),
    "asked": torch.ones(2, 3, dtype=torch.bool),
}

CALLS = {
    dialogue.turns: {"length": 8, "generator": torch.Generator(), "versions": 1},
    dialogue.sample: {"B": 2, "turns": PARTS, "generator": torch.Generator(), "told": 3, "back": 2},
    dialogue.tokens: {"text": "we fly to rome"},
    dialogue.encode: {"dialogues": [["we fly to rome", "where do we go ?"]]},
    dialogue.padded: {"rows": [[1, 2], [3]]},
    dialogue.cost: SCORED,
    dialogue.exact: {"written": SCORED["answer"], "answer": SCORED["answer"], "asked": SCORED["asked"]},
    dialogue.spell: {"row": torch.tensor([3, 1, 0])},
    dialogue.example: {"seed": 1, "length": 8, "told": 2, "back": 1},
    turns.words: {"text": "Who's there?"},
    turns.spoken: {"part": "validation"},
    turns.vocabulary: {},
    turns.exchanges: {"part": "validation", "turns": 2},
    turns.unheard: {"heard": HEARD},
    turns.batches: {"heard": HEARD, "B": 4, "generator": torch.Generator()},
    turns.cost: SCORED,
}
GOOD = {
    dialogue.example: {"seed": {"zero"}},
    turns.words: {"text": {"word", "empty"}},
}
