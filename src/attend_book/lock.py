"""`python -m attend_book lock`: write the lock files, exact versions with hashes: for readers, for tests, for the site.

They follow requirements.txt, for every supported Python and system at once. Torch is left out, with what only its CUDA
builds bring: each machine takes the build that suits it, by version alone. The extra `scale` is for the tests alone.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from attend_book import ROOT

OF_TORCH = re.compile(r"torch|triton|nvidia-.+|cuda-.+")
SITE = ("--group", "pyproject.toml:site")
TEST = ("pyproject.toml", *SITE, "--group", "pyproject.toml:test")
LOCKS = {
    "requirements.lock": (*TEST, "--group", "pyproject.toml:lab"),
    "requirements-test.lock": (*TEST, "--extra", "scale"),
    "requirements-site.lock": SITE,
}
HEAD = (
    "# Written by `make lock`: the versions of requirements.txt, and the SHA-256 of each file that may be installed.\n"
)


def main(arguments):
    """Write the files anew; asks the package index for hashes."""
    del arguments
    pins = [line for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines() if not line.startswith("-e")]
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder) / "pins.txt"
        pinned.write_text("\n".join(pins))
        for name, group in LOCKS.items():
            asked = compiled([*group, "--constraint", pinned])
            (ROOT / name).write_text(HEAD + "".join(blocks(asked).values()), "utf-8")
            print(f"{name}: written")


def compiled(wanted):
    """What uv resolves from these arguments, with hashes."""
    asked = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate"]
    run = [sys.executable, "-m", *asked, "--python-version", "3.11", *wanted]
    return subprocess.run(run, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def blocks(text):
    """The requirements of a lock by name, each with its lines; without torch's own."""
    found = {block.split("==")[0]: block for block in re.findall(r"^\S.*\n(?:[ ].*\n)*", text, re.MULTILINE)}
    return {name: block for name, block in found.items() if not OF_TORCH.fullmatch(name) and "==" in block}
