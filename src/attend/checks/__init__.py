"""Exercise checkers, one file a page: each names the claim that a wrong answer breaks."""

import importlib


def __getattr__(page: str):
    """`checks.coin` without a further import: the checkers of a page are loaded when they are asked for."""
    if page.startswith("_"):
        raise AttributeError(page)
    try:
        return importlib.import_module(f"{__name__}.{page}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"page: got {page!r}, expected the name of a page that has exercises") from error
