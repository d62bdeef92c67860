"""Run a page's cells in a fresh kernel, with a bar that names the cell."""

import os
import re
import signal
import textwrap

import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from tqdm import tqdm

from attend_book import ROOT
from attend_book.notebook import Refused

CELL_SECONDS = 600
CELL_CHARACTERS, CELL_DATA = 100_000, 20_000_000
QUIET = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}


def environment():
    """The kernel's environment: one thread, no bars, the package of this checkout."""
    env = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
    path = [str(ROOT / "src"), *filter(None, [env.get("PYTHONPATH")])]
    return env | QUIET | {"PYTHONPATH": os.pathsep.join(path)}


class Client(NotebookClient):
    """A client that stops a cell whose output is more than anybody reads, however long it would go on."""

    said, flooded = 0, False

    def output(self, outs, msg, display_id, cell_index):
        """Take one output of a cell, unless it was one too many."""
        content = msg["content"]
        self.said = (self.said if outs else 0) + len(content.get("text", ""))
        if self.said > CELL_CHARACTERS or sum(map(len, map(str, content.get("data", {}).values()))) > CELL_DATA:
            if not self.flooded:
                os.kill(self.km.provisioner.pid, signal.SIGINT)
            self.flooded = True
            return None
        return super().output(outs, msg, display_id, cell_index)


def execute(nb, folder, page, watched=True):
    """Run every cell of `nb` (in place) in `folder`: the processor seconds that it took.

    An error in a cell raises `Refused` with the cell's source, the error and where it came from.
    """
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    for cell in code:
        cell.outputs, cell.execution_count = [], None
    nb.metadata.pop("widgets", None)
    seconds = 0.0

    with tqdm(total=len(code), unit="cell", desc=page, leave=False, disable=not watched or None) as bar:

        def finished(cell, cell_index):
            nonlocal seconds
            if cell.cell_type == "code":
                seconds = processor_seconds(client)
                bar.update()

        client = Client(
            nb,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
            extra_arguments=["--log-level=40"],
            on_cell_complete=finished,
        )
        try:
            client.execute(env=environment())
        except CellExecutionError:
            if not client.flooded:
                raise Refused(described(nb, page)) from None
        except CellTimeoutError:
            raise Refused(f"{page}: a cell ran longer than {CELL_SECONDS} s:\n{running(nb)}") from None
        except DeadKernelError:
            raise Refused(f"{page}: the kernel died (memory?) in this cell:\n{running(nb)}") from None
        if client.flooded:
            raise Refused(f"{page}: a cell writes more than {CELL_CHARACTERS} characters:\n{running(nb)}")
    return seconds


def processor_seconds(client):
    """Processor time of the kernel so far: unlike the clock it does not depend on what else runs."""
    try:
        times = psutil.Process(client.km.provisioner.pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def described(nb, page):
    """A failed cell for a person: page, cell, error, and the lines that raised it."""
    number, error = next(
        (number, output)
        for number, cell in enumerate(nb.cells)  # the first one is the machine's own
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    )
    places = error.traceback[2:-1] or error.traceback  # between a rule, the headline and the error itself
    lines = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(places))
    return f"{page}, cell {number}: {error.ename}: {error.evalue}\n\n{textwrap.indent(lines, '    ')}"


def running(nb):
    """The source of the last cell that was started."""
    started = [cell for cell in nb.cells if cell.cell_type == "code" and cell.get("execution_count")]
    return textwrap.indent(started[-1].source if started else nb.cells[0].source, "    ")
