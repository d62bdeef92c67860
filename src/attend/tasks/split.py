"""Training, validation and test: which part an example belongs to follows from its own text, for good.

A hash decides, so the parts never depend on the order of a file, a seed or a library, and two copies of one example
can never stand on both sides.
"""

import hashlib

from attend.core.expect import checked, expect

PARTS = ("train", "validation", "test")


@checked
def part_of(text: str) -> str:
    """The part of `text`: "test" for 15 texts in a hundred, "validation" for 10, "train" for the rest."""
    share = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
    if share < 0.15:
        return "test"
    return "validation" if share < 0.25 else "train"


@checked
def known_part(part: str) -> str:
    """The same `part`, refused unless it is one of `PARTS`."""
    expect(part in PARTS, "part", part, f"one of {', '.join(PARTS)}")
    return part
