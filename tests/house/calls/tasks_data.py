"""Valid calls of attend.tasks.data."""

from attend.tasks import data

CALLS = {data.path: {"name": "seattle.npz"}, data.images: {"name": "digits.npz", "rows": (2, 5)}}
