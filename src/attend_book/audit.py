"""`python -m attend_book audit`: does a database of vulnerabilities name a version that the course pins?

Python's pins are asked of OSV by pip-audit, those of npm of its registry by npm itself. A database that cannot be
reached is no clean bill: what was not audited is said, and the exit status is another one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from attend_book import ROOT
from attend_book.node import npm_program

CLEAN, FOUND, NOT_AUDITED = 0, 1, 3
OSV = "https://api.osv.dev/v1/query"


class Unreachable(RuntimeError):
    """A database did not answer; the message says what its client said last."""


def main(arguments):
    """Audit requirements.txt and the lock of npm; 1 when something is found, 3 when a database was not reached."""
    parser = argparse.ArgumentParser(prog="attend_book audit", description=main.__doc__)
    parser.add_argument("--pins", type=Path, default=ROOT / "requirements.txt", help="the exact versions for Python")
    parser.add_argument("--lock", type=Path, default=ROOT / "tests" / "site", help="the folder of package-lock.json")
    parser.add_argument("--osv", default=OSV, help="where OSV answers")
    parser.add_argument("--registry", help="the registry of npm that answers (npm's own choice)")
    options = parser.parse_args(arguments)
    asked = {
        options.pins.name: lambda: python(options.pins, options.osv),
        f"{options.lock.name}/package-lock.json": lambda: npm(options.lock, options.registry),
    }
    status = CLEAN
    for name, ask in asked.items():
        try:
            count, found = ask()
        except Unreachable as why:
            print(f"{name}: NOT AUDITED, no database could be reached ({why})", flush=True)
            status = status or NOT_AUDITED
            continue
        print(f"{name}: {count} versions asked for, {len(found)} with a known vulnerability", flush=True)
        for line in found:
            print(f"  {line}")
        status = FOUND if found else status
    return status


def python(pins, osv=OSV):
    """(versions asked for, those with a vulnerability) of a file of exact pins. Raises Unreachable."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "pins.txt"
        lines = pins.read_text(encoding="utf-8").splitlines()
        plain.write_text("\n".join(line for line in lines if not line.startswith("-")), encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(plain), "--no-deps", "--disable-pip"]
        command += ["--vulnerability-service", "osv", "--osv-url", osv, "--format", "json", "--progress-spinner", "off"]
        report = _answer(command, Path(folder), "dependencies")
    packages = report["dependencies"]
    if skipped := [package["name"] for package in packages if "version" not in package]:
        raise Unreachable(f"it did not answer for {', '.join(skipped)}")
    found = [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'none'}"
        for package in packages
        for flaw in package["vulns"]
    ]
    return len(packages), found


def npm(folder, registry=None):
    """The same for the lock of npm in a folder, with all that it brings."""
    try:
        command = [*npm_program(), "audit", "--json", "--package-lock-only"]
    except FileNotFoundError as trouble:
        raise Unreachable(str(trouble)) from trouble
    report = _answer(command + (["--registry", registry] if registry else []), folder, "vulnerabilities")
    found = [f"{name}: {flaw['severity']}" for name, flaw in sorted(report["vulnerabilities"].items())]
    return report["metadata"]["dependencies"]["total"], found


def _answer(command, folder, wanted):
    """What a client printed as JSON, when it has the part that only a database can give."""
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise Unreachable(f"{command[0]}: {trouble}") from trouble
    try:
        report = json.loads(run.stdout)
    except json.JSONDecodeError:
        report = {}
    if wanted not in report:
        said = report.get("message") or (run.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Unreachable(said.strip())
    return report
