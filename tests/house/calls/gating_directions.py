"""Valid calls of attend.gating.bidirectional, attend.gating.tree_lstm, their tasks, figures and live figure."""

import torch
from tests.live.test_directions import EXAMPLES, weights

from attend.figures.shares import shares
from attend.gating.bidirectional import Bidirectional, Tagger, lengths, reverse
from attend.gating.gru import GRU
from attend.gating.tree_lstm import ChainTagger, TreeLSTM, TreeTagger, heights, one_by_one
from attend.live.directions import Influence
from attend.tasks import expressions, listops, places

VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
X = torch.ones(2, 3, 2)
PAIR = Bidirectional(GRU(2, 3), GRU(2, 4))
TAGGER = Tagger(5, PAIR, (2,))
TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
TREE = TreeLSTM(2, 3)
PARENT = torch.tensor([-1, 0, 0])
CODES = torch.tensor([1, 2, 4])
TREE_TAGGER, CHAIN_TAGGER = TreeTagger(5, 2, 3, 4), ChainTagger(5, 2, 3, 4)
SPOKEN = places.encode((205, 4_000))
LIST = ("MAX", (2, ("MIN", (4, 7))))
NESTED = expressions.Expression("str", '⟦name + "…"⟧')


CALLS = {
    lengths: {"mask": VISIBLE},
    reverse: {"x": X, "mask": VISIBLE},
    Bidirectional: {"ahead": GRU(2, 3), "back": GRU(2, 4)},
    PAIR.forward: {"x": X, "mask": VISIBLE},
    Tagger: {"V": 5, "encoder": PAIR, "answers": (2, 3), "generator": torch.Generator()},
    TAGGER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    heights: {"parent": PARENT},
    TREE.forward: {"x": torch.ones(3, 2), "parent": PARENT},
    one_by_one: {"tree": TREE, "x": torch.ones(3, 2), "parent": PARENT, "node": 0},
    TreeTagger: {"V": 5, "D": 2, "H": 3, "O": 4, "generator": torch.Generator()},
    TREE_TAGGER.forward: {"tokens": CODES, "parent": PARENT},
    ChainTagger: {"V": 5, "D": 2, "H": 3, "O": 4, "generator": torch.Generator()},
    CHAIN_TAGGER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    places.places: {"n": 240_007},
    places.encode: {"numbers": (205, 4_000)},
    places.numbers: {"part": "validation", "most": 50},
    places.batches: {"everything": SPOKEN, "B": 2, "generator": torch.Generator()},
    places.cost: {
        "logits": torch.ones(2, 4, 6),
        "answer": SPOKEN.place.clamp(min=0)[:, :4],
        "asked": SPOKEN.asked[:, :4],
    },
    places.accuracy: {"logits": torch.ones(2, 4, 6), "answer": SPOKEN.place, "spoken": SPOKEN},
    places.ceiling: {"question": "place", "side": "right"},
    listops.spell: {"expression": LIST},
    listops.depth: {"expression": LIST},
    listops.evaluate: {"expression": LIST},
    listops.draw: {"count": 2, "part": "test", "generator": torch.Generator(), "deepest": 3},
    listops.forest: {"expressions": [LIST, 3]},
    listops.lines: {"expressions": [LIST, 3]},
    listops.cost: {"logits": torch.ones(2, 10), "value": torch.tensor([3, 1])},
    expressions.load: {"part": "validation"},
    expressions.tokens: {"nested": "⟦a + b⟧"},
    expressions.trees: {"expressions": [NESTED]},
    expressions.lines: {"expressions": [NESTED]},
    expressions.cost: {"logits": torch.ones(2, 7), "kind": torch.tensor([3, 1])},
    shares: {"panels": {"place": {"left": ([0.5], 0.6)}}, "x_name": "share", "y_name": "heard"},
    Influence: {"weights": weights(), "examples": EXAMPLES},
}
GOOD = {
    one_by_one: {"node": {"zero"}},
    listops.spell: {"expression": {"type"}},
    listops.depth: {"expression": {"type"}},
    listops.evaluate: {"expression": {"type"}},
    expressions.tokens: {"nested": {"word"}},
    shares: {"x_name": {"word"}, "y_name": {"word"}},
}
