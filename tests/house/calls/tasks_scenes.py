"""Valid calls of attend.tasks.scenes and attend.tasks.clothes."""

import torch

from attend.tasks import clothes, scenes

SOME = scenes.scenes("test", 2, torch.Generator().manual_seed(0))

CALLS = {
    clothes.clothes: {"split": "test"},
    scenes.scenes: lambda: {"split": "test", "count": 2, "generator": torch.Generator(), "scraps": 1},
    scenes.sheets: lambda: {"split": "test", "count": 2, "generator": torch.Generator()},
    scenes.sheet_batches: lambda: {"size": 4, "generator": torch.Generator()},
    scenes.batches: lambda: {"size": 4, "generator": torch.Generator()},
    scenes.cost: {"logits": torch.ones(2, 6, 19), "captions": SOME.captions},
    scenes.exact: {"written": SOME.captions, "captions": SOME.captions},
    scenes.found: {"weights": torch.full((2, 6, 9), 1 / 9), "cells": SOME.cells},
    scenes.spell: {"caption": SOME.captions[0]},
}
GOOD = {scenes.scenes: {"scraps": {"zero"}}}
