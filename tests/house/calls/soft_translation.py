"""Valid calls of attend.soft.translation and attend.tasks.dates."""

import datetime

import torch

from attend.soft import translation
from attend.tasks import dates

SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
TARGET = torch.tensor([[1, 0], [2, 3]])
MODEL = translation.Translator(5, 4, 2, 6)
ASKED = {"source": SOURCE, "mask": VISIBLE, "target": TARGET}
DAYS = (datetime.date(2025, 11, 21), datetime.date(1987, 3, 9))

CALLS = {
    translation.Translator: {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 6,
        "end": 1,
        "generator": torch.Generator(),
    },
    MODEL.read: {"source": SOURCE, "mask": VISIBLE},
    MODEL.forward: ASKED,
    translation.needs_attention: {"model": MODEL} | ASKED,
    dates.words: {"day": DAYS[0], "language": "hu"},
    dates.days: {"part": "test", "most": 40},
    dates.encode: {"of": DAYS},
    dates.origins: {"of": DAYS},
    dates.spell: {"written": torch.tensor([1, 2])},
}
GOOD = {translation.Translator: {"end": {"zero"}}}
