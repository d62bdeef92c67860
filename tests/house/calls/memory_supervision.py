"""Valid calls of attend.memory.supervision."""

import torch

from attend.memory.supervision import EncoderDecoder, LanguageModel, SequenceClassifier, running_mean, shift_right

CLASSIFIER, MODEL, TRANSLATOR = SequenceClassifier(5, 2, 3), LanguageModel(5, 2, 3), EncoderDecoder(5, 4, 2, 3)
TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])

CALLS = {
    running_mean: {"hidden": torch.ones(2, 3, 4), "mask": VISIBLE},
    SequenceClassifier: {
        "vocab_size": 5,
        "embedding_size": 2,
        "hidden_size": 3,
        "pooling": "last",
        "radius": 0.5,
        "generator": torch.Generator(),
    },
    CLASSIFIER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    LanguageModel: {"vocab_size": 5, "embedding_size": 2, "hidden_size": 3, "generator": torch.Generator()},
    MODEL.forward: {"tokens": TOKENS, "state": torch.zeros(2, 3)},
    MODEL.generate: {"tokens": TOKENS, "steps": 2, "generator": torch.Generator(), "temperature": 0.5},
    shift_right: {"target": TOKENS, "start": 0},
    EncoderDecoder: {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 3,
        "end": 1,
        "generator": torch.Generator(),
    },
    TRANSLATOR.encode: {"source": TOKENS, "mask": VISIBLE},
    TRANSLATOR.forward: {"source": TOKENS, "mask": VISIBLE, "target": torch.tensor([[1, 0], [2, 3]])},
    TRANSLATOR.generate: {"source": TOKENS, "mask": VISIBLE, "steps": 2},
}
GOOD = {
    EncoderDecoder: {"end": {"zero"}},
    shift_right: {"start": {"zero"}},
}
