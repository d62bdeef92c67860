"""What every room of the tests may ask for."""

from tests.browser import NOT_TESTED, chromium, opened

__all__ = ["chromium", "opened"]


def pytest_terminal_summary(terminalreporter):
    """Say loudly, at the very end, what a missing browser left untested."""
    if NOT_TESTED:
        terminalreporter.section("NOT TESTED: everything that needs a browser", red=True, bold=True)
        terminalreporter.write_line("parity of the live figures with torch, the built site, JupyterLab")
        terminalreporter.write_line(NOT_TESTED[0])
