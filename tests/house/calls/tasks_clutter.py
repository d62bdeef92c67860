"""Valid calls of attend.tasks.clutter, attend.tasks.superpixels and attend.figures.patches."""

import torch

from attend.figures import patches
from attend.tasks import clutter, superpixels

draw = torch.Generator().manual_seed(0)
some = clutter.canvases("test", 2, draw, pieces=1)
graphs = superpixels.graphs(some)
labels = torch.tensor([[[0, 1, 2], [2, 1, 0]]])
count = int(graphs.mask[0].sum())

CALLS = {
    clutter.small: {"split": "test"},
    clutter.canvases: lambda: {
        "split": "test", "count": 2, "generator": torch.Generator(), "pieces": 1, "width": 20
    },
    clutter.cost: {"scores": torch.ones(1, 2, 3, 3), "labels": labels},
    clutter.f1: {"guess": labels.flip(2), "labels": labels},
    superpixels.segment: {"image": some.images[0]},
    superpixels.graphs: {"of": some},
    superpixels.cost: {"scores": torch.ones(*graphs.labels.shape, 2), "of": graphs},
    superpixels.accuracy: {"scores": torch.ones(*graphs.labels.shape, 2), "of": graphs},
    patches.answers: {"images": some.images, "labels": some.labels, "named": {"plane": some.labels}},
    patches.graph: {
        "patch": graphs.patch[0],
        "neighbours": graphs.neighbours[0],
        "labels": graphs.labels[0],
        "classes": graphs.labels[0],
        "order": list(range(count)),
        "accuracies": {"alone": ([0.5, 0.6], "rival")},
    },
}  # fmt: skip
GOOD = {clutter.canvases: {"pieces": {"zero"}}}
