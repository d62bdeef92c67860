"""English to read without labels: film reviews, one by one, and whole shop reviews and newspaper editorials."""

import bz2
from functools import cache

from attend.core.expect import checked
from attend.tasks import reviews
from attend.tasks.data import path
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/snippets.txt.bz2",)


@checked
@cache
def load(part: str) -> tuple[str, ...]:
    """The texts of one part ("train", "validation" or "test"): those of `reviews`, without ratings, then the others."""
    wanted = known_part(part)
    rated = tuple(review.text for review in reviews.load(part))
    others = bz2.decompress(path("snippets.txt.bz2").read_bytes()).decode().split("\n")
    return rated + tuple(text for text in others if part_of(text.lower()) == wanted)


@checked
def example(part: str = "train") -> str:
    """The beginnings of a film review and of an editorial of one part, to read."""
    return "\n".join(f"{text[:100]}…" for text in (load(part)[0], load(part)[-1]))
