"""A valid call of attend.figures.lessons."""

from attend.figures.lessons import lessons

CALLS = {
    lessons: {
        "lines": {"ours": ([[0.1, 0.5]], "summary")},
        "steps": [0.0, 50.0],
        "x_name": "step",
        "y_name": "right answers",
    }
}
GOOD = {lessons: {"x_name": {"word"}, "y_name": {"word"}}}
