"""The last line of `make test`: what its pytest runs counted together; fails when one of them did."""

import sys
from xml.etree import ElementTree

COUNTED = ("tests", "failures", "errors", "skipped")


def tally(paths):
    """Passed, failed and skipped over several JUnit files; a missing file counts as one failure."""
    total = dict.fromkeys(COUNTED, 0)
    for path in paths:
        try:
            suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
        except (OSError, ElementTree.ParseError):
            suites = [{"tests": 1, "errors": 1}]
        for suite in suites:
            for key in COUNTED:
                total[key] += int(suite.get(key, 0))
    failed = total["failures"] + total["errors"]
    return total["tests"] - failed - total["skipped"], failed, total["skipped"]


if __name__ == "__main__":
    passed, failed, skipped = tally(sys.argv[1:])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed > 0)
