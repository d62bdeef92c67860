"""Valid calls of attend.figures.code."""

from attend.figures.code import listing

CALLS = {listing: {"source": "def one():\n    return 1\n"}}
