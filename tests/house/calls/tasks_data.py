"""Valid calls of attend.tasks.data."""

from attend.tasks import data

CALLS = {data.path: {"name": "seattle.npz"}}
