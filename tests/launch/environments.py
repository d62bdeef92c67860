"""Every page in fresh environments: `make environments`, for the weekly run, since it installs and runs for an hour.

For each Python of this machine that the course supports: the exact pins, as Binder has them; the newest versions that
the ranges of pyproject.toml allow, as Colab may have them; and, for the oldest Python, the oldest versions, which show
whether the lower bounds are true.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUPPORTED = ("3.11", "3.12", "3.13")
RUNNER = ("ipykernel>=6.29", "nbclient>=0.10")  # psutil comes with ipykernel
KINDS = {"pins": ("--constraint", "pins.txt"), "newest": (), "oldest": ("--resolution", "lowest-direct")}
EXECUTE = """
import json, sys, nbclient, nbformat, psutil
page, used = nbformat.read(sys.argv[1], 4), {}

def measure(cell, cell_index):
    kernel = psutil.Process(client.km.provisioner.pid)
    used["seconds"] = sum(kernel.cpu_times()[:2])
    used["MB"] = max(used.get("MB", 0), kernel.memory_info().rss / 1e6)

client = nbclient.NotebookClient(page, timeout=900, kernel_name="python3", on_cell_complete=measure)
client.execute()
said = [o.text for cell in page.cells for o in cell.get("outputs", []) if o.get("name") == "stderr"]
if said:
    sys.exit("it writes to stderr: " + said[0])
print(json.dumps(used))
"""


def pythons(wanted: list[str]) -> dict[str, str]:
    """The supported versions that this machine has, with their programs; the ones asked for, where some were."""
    places = [str(place) for place in sorted(Path.home().glob(".pyenv/versions/*/bin"))]
    search = os.pathsep.join([*places, os.environ.get("PATH", "")])
    programs = wanted or [path for name in SUPPORTED if (path := shutil.which(f"python{name}", path=search))]
    found = {}
    for program in programs:
        asked = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if (run := subprocess.run(asked, capture_output=True, text=True)).returncode == 0:  # pyenv's shims may be empty
            found[run.stdout.strip()] = program
    return found


def made(where: Path, program: str, kind: str) -> Path:
    """The python of a new environment with the course and what runs its pages."""
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", program, where / "env"], check=True)
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (where / "pins.txt").write_text("\n".join(line for line in pins if not line.startswith("-e")))
    python = where / "env" / "bin" / "python"
    asked = [*uv, "pip", "install", "--quiet", "--python", python, *KINDS[kind], ROOT, *RUNNER]
    subprocess.run(asked, check=True, cwd=where)
    return python


def executed(python: Path, page: Path, home: Path) -> str:
    """Run one page as a stranger would; what it took, or how it failed."""
    ours = ("PYTHON", "JUPYTER", "IPYTHON", "VIRTUAL_ENV", "ATTEND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    kept |= {"HOME": str(home), "IPYTHONDIR": str(home / "ipython"), "PATH": f"{python.parent}:{kept['PATH']}"}
    run = subprocess.run([python, "-c", EXECUTE, page], cwd=home, env=kept, capture_output=True, text=True)
    if run.returncode:
        return "FAILED\n" + "\n".join(run.stderr.splitlines()[-12:])
    used = json.loads(run.stdout.splitlines()[-1])
    return f"{used['seconds']:.0f} s of the processor, {used['MB']:.0f} MB"


def tried(version: str, program: str, kind: str, pages: list[Path]) -> int:
    """One environment, all pages; returns how many failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        python = made(where, program, kind)
        torch = [python, "-c", "import torch; print(torch.__version__)"]
        print(f"\nPython {version}, {kind}: torch", subprocess.check_output(torch, text=True).strip(), flush=True)
        for page in pages:
            took = executed(python, page, where)
            failed += took.startswith("FAILED")
            print(f"  {page.relative_to(ROOT)}: {took}", flush=True)
    return failed


def main() -> int:
    """Try what was asked for; say loudly which Python this machine lacks."""
    parser = argparse.ArgumentParser(prog="make environments", description=__doc__)
    parser.add_argument("--python", nargs="*", default=[], help="programs; all that this machine has by default")
    parser.add_argument("--kind", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("page", nargs="*", type=Path, help="all pages by default")
    options = parser.parse_args()
    pages = [page.resolve() for page in options.page] or sorted((ROOT / "chapters").glob("*/*.ipynb"))
    found = pythons(options.python)
    missing = [] if options.python else [version for version in SUPPORTED if version not in found]
    asked = [(version, kind) for version in found for kind in options.kind if kind != "oldest" or version == min(found)]
    failed = sum(tried(version, found[version], kind, pages) for version, kind in asked)
    print(f"\n{len(asked)} environments, {len(pages)} pages in each: {failed} failed")
    if missing:
        print(f"NOT TESTED: Python {', '.join(missing)}, which this machine lacks")
    return bool(failed or not asked)


if __name__ == "__main__":
    sys.exit(main())
