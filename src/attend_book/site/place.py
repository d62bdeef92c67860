"""Where a warning's fault stands: in a notebook by cell and line, as `make pages` says it.

Line 2 of cell 3 is line 30,002 to the parser. `source.prepare` tells it where the cells of the page begin,
one less since the parser counts its first line twice.
"""

import logging
import re

LINES_A_CELL = 10_000
IN_NOTEBOOK = re.compile(r"\.ipynb:(\d+)$")


def named(location):
    """A warning's location, `…/coin.ipynb:30002`, as `…/coin.ipynb, cell 3, line 2`; others stay as they are."""
    return IN_NOTEBOOK.sub(_cell_and_line, location)


def _cell_and_line(match):
    cell, line = divmod(int(match[1]), LINES_A_CELL)
    return f".ipynb, cell {cell}, line {line}"


def _name(record):
    if isinstance(getattr(record, "location", None), str):
        record.location = named(record.location)
    return True


def setup(_app):
    """Let all that Sphinx warns of pass by `named`."""
    for handler in logging.getLogger("sphinx").handlers:
        handler.addFilter(_name)
