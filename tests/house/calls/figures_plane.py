"""Valid calls of attend.figures.plane and attend.figures.gradients."""

import numpy as np

from attend.figures import gradients, plane

POINTS = np.full((3, 2), 0.5)
RUNS = [[1.0] * 12]

CALLS = {
    plane.stages: {"before": POINTS, "linear": POINTS, "after": POINTS},
    plane.journeys: {"paths": {"one": np.zeros((4, 3, 2))}},
    gradients.by_lag: {"radii": [0.5], "linear": np.ones((1, 4)), "squashed": np.ones((1, 4))},
    gradients.training: {"free": RUNS, "clipped": RUNS, "norms": RUNS[0]},
}
