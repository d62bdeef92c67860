"""What every room of the tests may ask for, what holds in all of them, and what is said at the end of a run.

The shapes in the package's signatures are checked at run time, in and out; one thread; the same examples every time.
"""

import sys
import types

from beartype import BeartypeConf, beartype
from hypothesis import settings
from jaxtyping import install_import_hook

# The hook takes the name of a type checker: this one lets a whole number be a number.
sys.modules["course_types"] = types.ModuleType("course_types")
sys.modules["course_types"].check = beartype(conf=BeartypeConf(is_pep484_tower=True))
HOOKED = [
    "attend.core.unroll",
    "attend.memory",
    "attend.gating",
    "attend.soft",
    "attend.hard",
    "attend.transformers",
    "attend.tasks",
]
# Before anything of the package is imported. attend.core.expect checks shapes itself and must not be checked while it
# does; rooms outside this list refuse bad input by hand and are tested as they are.
install_import_hook(HOOKED, "course_types.check")

import torch  # noqa: E402
from tests.browser import NOT_TESTED, chromium, opened  # noqa: E402

torch.set_num_threads(1)
settings.register_profile("course", derandomize=True, deadline=None, database=None)
settings.load_profile("course")

__all__ = ["chromium", "opened"]


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
