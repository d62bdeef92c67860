"""Valid calls of attend.memory.supervision."""

import torch

from attend.memory.supervision import EncoderDecoder, Labeller, Predictor, pool, shift_right, two_vocabularies

LABELLER, PREDICTOR, TRANSLATOR = Labeller(5, 2, 3), Predictor(5, 2, 3), EncoderDecoder(5, 4, 2, 3)
TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])

CALLS = {
    pool: {"summaries": torch.ones(2, 3, 4), "mask": VISIBLE},
    Labeller: {"V": 5, "D": 2, "H": 3, "pooling": "last", "radius": 0.5, "generator": torch.Generator()},
    LABELLER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    Predictor: {"V": 5, "D": 2, "H": 3, "generator": torch.Generator()},
    PREDICTOR.forward: {"tokens": TOKENS, "state": torch.zeros(2, 3)},
    PREDICTOR.write: {"prompt": TOKENS[0], "steps": 2, "generator": torch.Generator(), "temperature": 0.5},
    shift_right: {"target": TOKENS, "start": 0},
    two_vocabularies: {"source_V": 5, "target_V": 4, "end": 1},
    EncoderDecoder: {"source_V": 5, "target_V": 4, "D": 2, "H": 3, "end": 1, "generator": torch.Generator()},
    TRANSLATOR.read: {"source": TOKENS, "mask": VISIBLE},
    TRANSLATOR.forward: {"source": TOKENS, "mask": VISIBLE, "target": torch.tensor([[1, 0], [2, 3]])},
    TRANSLATOR.write: {"source": TOKENS, "mask": VISIBLE, "steps": 2},
}
GOOD = {
    EncoderDecoder: {"end": {"zero"}},
    shift_right: {"start": {"zero"}},
    two_vocabularies: {"end": {"zero"}},
}
