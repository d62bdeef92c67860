"""What changed of late, as far as git knows: `make test` looks closer at it, and at the rest by night."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@cache
def changed(commits: int = 3) -> frozenset[str] | None:
    """The files that the last commits or the working tree have changed; None where git cannot tell."""
    if _says("rev-parse", "--is-shallow-repository") != "false":
        return None
    log = _says("log", f"-{commits}", "--name-only", "--format=")
    return frozenset(log.splitlines()) | frozenset(line[3:] for line in _says("status", "--porcelain").splitlines())


def _says(*command: str) -> str:
    return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout.rstrip()
