"""A valid call of attend.figures.tables."""

from attend.figures.tables import table

CALLS = {table: {"columns": ["question", "soft", "hard"], "rows": [["values read", "32", "1"]]}}
