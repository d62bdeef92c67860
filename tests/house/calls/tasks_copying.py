"""Valid calls of attend.tasks.copying."""

import torch

from attend.tasks import copying

CALLS = {
    copying.sample: {
        "batch": 3,
        "shortest": 1,
        "longest": 4,
        "letters": 5,
        "generator": torch.Generator(),
    },
    copying.with_gaps: {"pairs": copying.copied(((3, 1, 3), (2,))), "places": 5, "generator": torch.Generator()},
    copying.copied: {"rows": ((3, 1, 3), (2,))},
    copying.example: {"length": 4, "seed": 0},
}
GOOD = {copying.example: {"seed": {"zero"}}}
