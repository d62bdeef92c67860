"""Valid calls of attend.figures.races."""

from attend.figures.races import apart, race

CALLS = {
    race: {
        "runners": {"ours": ([[1.0, 0.5]], "summary")},
        "places": [8.0, 96.0],
        "x_name": "words a turn",
        "y_name": "share of exact answers",
        "log": True,
        "ticks": [8.0],
    },
    apart: {"ends": {"ours": 0.5, "theirs": 0.5}, "gap": 0.1},
}
GOOD = {race: {"x_name": {"word"}, "y_name": {"word"}}}
