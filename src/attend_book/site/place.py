"""A warning's place on a page with code: the line of its text, which Sphinx counts and knows by the notebook's name."""

import logging
import re

IN_NOTEBOOK = re.compile(r"\.ipynb:(?=\d+$)")


def named(location):
    """A warning's location, `…/coin.ipynb:32`, as `…/coin.md:32`; others stay as they are."""
    return IN_NOTEBOOK.sub(".md:", location)


def _name(record):
    if isinstance(getattr(record, "location", None), str):
        record.location = named(record.location)
    return True


def setup(_app):
    """Let all that Sphinx warns of pass by `named`."""
    for handler in logging.getLogger("sphinx").handlers:
        handler.addFilter(_name)
