"""The machine that makes the book: pages, digests, the ledger and the site. It imports no model."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout in which the book lies."""


OPEN = "TO" + "DO"
"""What stands where something is still to be written; no committed file may say it."""


class Refused(Exception):
    """A page cannot be published as it is; the message says why and where."""
