"""Valid calls of attend.figures.races."""

from attend.figures.races import race

CALLS = {
    race: {
        "runners": {"ours": ([[1.0, 0.5]], "summary")},
        "places": [8.0, 96.0],
        "x_name": "words a turn",
        "y_name": "share of exact answers",
        "log": True,
        "ticks": [8.0],
    },
}
GOOD = {race: {"x_name": {"word"}, "y_name": {"word"}}}
