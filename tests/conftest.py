"""What every room of the tests may ask for, what holds in all of them, and what is said at the end of a run.

The shapes in the package's signatures are checked at run time, in and out; one thread; the same examples every time.
"""

import json
import sys
import types

import pytest
from beartype import BeartypeConf, beartype
from hypothesis import settings
from jaxtyping import install_import_hook

# The hook takes the name of a type checker: this one lets a whole number be a number.
sys.modules["course_types"] = types.ModuleType("course_types")
sys.modules["course_types"].check = beartype(conf=BeartypeConf(is_pep484_tower=True))
HOOKED = [
    "attend.memory",
    "attend.gating",
    "attend.soft",
    "attend.hard",
    "attend.transformers",
    "attend.fast",
    "attend.tasks",
]
# Before anything of the package is imported. attend.core.expect checks shapes itself and must not be checked while it
# does; elsewhere `@checked` refuses what goes in, and what comes out is tested.
install_import_hook(HOOKED, "course_types.check")

import torch  # noqa: E402
from tests import kernels  # noqa: E402
from tests.browser import NOT_TESTED, chromium, opened  # noqa: E402

kernels.fork_them()
torch.set_num_threads(1)
settings.register_profile("course", derandomize=True, deadline=None, database=None)
settings.load_profile("course")

__all__ = ["chromium", "opened"]


WAYS = ("desk", "phone", "disk", "bare")
"""How tests/site looks at a page: each way is loaded once, so that the tests of one way follow each other."""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """On several workers: one file, or one page of the site, stays on one of them; what takes longest begins first."""
    groups = {item: _group(item) for item in items}
    cost = {page: _seconds(page) for page in {item.path for item in items if item.path.suffix == ".ipynb"}}
    items.sort(key=lambda item: (-cost.get(item.path, 0), not _visits(item), groups[item], _way(item)))
    if hasattr(config, "workerinput"):
        for item in items:
            item.add_marker(pytest.mark.xdist_group(groups[item]))


def _visits(item) -> str:
    """The page of the site that a test visits, or nothing."""
    return (getattr(item, "callspec", None) and item.callspec.params.get("visit")) or ""


def _group(item) -> str:
    """What a worker keeps together: the tests of a file, which share what they make, or those of a page."""
    return _visits(item) or item.nodeid.partition("::")[0]


def _way(item) -> int:
    """The place of a test's way to look at a page among the ways."""
    return next((place for place, way in enumerate(WAYS) if way in getattr(item, "fixturenames", ())), 0)


def _seconds(page) -> float:
    """How long a page says that it runs."""
    return json.loads(page.read_text(encoding="utf-8"))["metadata"].get("attend", {}).get("run_seconds", 0)


def pytest_terminal_summary(terminalreporter):
    """Say at the very end what was measured, and loudly what this machine could not test."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    properties = [pair for report in reports for pair in getattr(report, "user_properties", ())]
    measured = [what for name, what in properties if name == "measured"]
    if measured:
        terminalreporter.section("measured on the built site")
        terminalreporter.write_line("\n".join(dict.fromkeys(measured)))
    skips = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    reasons = [reason.split(NOT_TESTED)[1] for reason in skips if NOT_TESTED in reason]
    for reason in dict.fromkeys(reasons):
        terminalreporter.section(f"NOT TESTED ({reasons.count(reason)} tests)", red=True, bold=True)
        terminalreporter.write_line(reason)
