"""Valid calls of attend.figures.tries."""

import numpy as np

from attend.figures import tries

POINTS, PLACE = np.array([[1.0, 2.0], [2.0, 1.0]]), np.zeros(2)

CALLS = {
    tries.pulls: {"samples": POINTS, "mean": PLACE, "moves": {"one": POINTS}, "exact": PLACE, "bottom": PLACE},
    tries.blurred: {"x": [0.0, 1.0], "f": [1.0, 0.0], "means": {"wide": [0.8, 0.4]}},
    tries.valley: {"b": [0.0, 1.0], "variance": [2.0, 1.0], "marks": {"none": 0.0}, "level": ("rival", 0.5)},
}
