"""Valid calls of attend.figures.clockwork."""

from attend.figures import clockwork

CALLS = {
    clockwork.ticking: {
        "ticks": [[True, True], [True, False]],
        "reach": [[True, True], [False, True]],
        "periods": (1, 2),
    },
    clockwork.waves: {
        "wanted": [0.0, 1.0],
        "made": {"a": ([0.5, 0.5], "summary")},
        "x": [0.0, 1.0],
        "x_name": "step",
        "y_name": "wave",
        "wanted_name": "recorded",
    },
    clockwork.parts: {"periods": (1, 2), "said": [[0.1, 0.2]], "stopped": [[1.0, 2.0]]},
}
GOOD = {clockwork.waves: {"x_name": {"word"}, "y_name": {"word"}, "wanted_name": {"word"}}}
