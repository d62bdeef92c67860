"""The same work for many seeds, sizes or settings: side by side on this machine, or spread over a Ray cluster.

Each unit runs in a process of its own, on one thread; one that fails or is killed loses itself alone. Each comes back
as soon as it is done, so that who keeps what came loses nothing of it.

    for settings, found, wrong in sweep("attend.recipes.lstm:tried", [{"rate": 1e-3}, {"rate": 1e-2}], on="ray"):
        ...

Ray connects to the cluster that RAY_ADDRESS names, or begins one on this machine. It sends nothing to anybody.

Source   Ray's documentation: tasks, max_retries, max_calls, runtime environments.
"""

import importlib
import multiprocessing
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Literal

from attend.core.expect import checked, expect
from attend.core.types import Positive

Work = Callable[[Any], Any]
"""A function that other processes can import, of one unit."""
Done = tuple[Any, Any, str]
"""A unit, what came of it, and what went wrong; then nothing came."""
RETRIES = 3
"""How often Ray begins a unit again whose worker was killed, or whose machine was lost."""
TRIES = 3
"""How often Ray is begun on this machine before that fails."""
ADDRESS = re.compile(r"[\w.]+:[A-Za-z_]\w*")


@checked
def sweep(
    function: str, settings: Sequence[dict[str, Any]], *, jobs: Positive = 1, on: Literal["here", "ray"] = "here"
) -> Iterator[tuple[dict[str, Any], Any, str]]:
    """Call `function`, "module:name", with the keywords of each of `settings`; each with its result, as it is done.

    `jobs` run side by side on this machine; on a cluster as many as it has processors. The third of what comes says
    what went wrong, and is empty where nothing did.
    """
    expect(ADDRESS.fullmatch(function) is not None, "function", function, "a function at the top of a module, a.b:name")
    module, _, name = function.partition(":")
    expect(callable(getattr(_module(module), name, None)), "function", function, "a function that there is")
    done = ENGINES[on](partial(_call, module, name), list(enumerate(settings)), jobs)
    return ((asked, found, wrong) for (_, asked), found, wrong in done)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _call(module: str, name: str, unit: tuple[int, dict[str, Any]]) -> Any:
    return getattr(importlib.import_module(module), name)(**unit[1])


@checked
def processes(work: Work, units: list[Any], jobs: Positive, preload: Sequence[str] = ()) -> Iterator[Done]:
    """The engine of one machine: a new process for each unit, forked from one that has imported torch and `preload`."""
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(kind)
    if kind == "forkserver":
        context.set_forkserver_preload(["torch", *preload])
    waiting, running = list(reversed(units)), {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                unit = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_report, args=(work, unit, theirs), daemon=True)
                process.start()
                theirs.close()
                running[ours] = unit, process
            for end in wait(list(running)):
                unit, process = running.pop(end)
                try:
                    found, wrong = end.recv()
                except EOFError:
                    process.join()
                    found, wrong = None, f"its process ended with status {process.exitcode}"
                end.close()
                process.join()
                yield unit, found, wrong
    finally:
        for _, process in running.values():
            process.terminate()


@checked
def on_ray(work: Work, units: list[Any], jobs: Positive) -> Iterator[Done]:
    """The engine of many machines: a Ray task for each unit, begun again elsewhere when its worker is lost.

    Where RAY_ADDRESS names a cluster, it is given this package as it stands here, so that all compute with the same
    code; otherwise Ray begins on this machine, for `jobs` at a time. Raises ValueError without Ray.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError as missing:
        raise ValueError("ray: got no such package, expected `pip install 'attend-course[scale]'`") from missing
    began = not ray.is_initialized()
    if began:
        _begin(ray, jobs)
    task = ray.remote(num_cpus=1, max_retries=RETRIES, max_calls=1)(_attempt)
    waiting = {task.remote(work, unit): unit for unit in units}
    try:
        while waiting:
            [done], _ = ray.wait(list(waiting), num_returns=1)
            unit = waiting.pop(done)
            try:
                found, wrong = ray.get(done)
            except ray.exceptions.RayError as lost:
                found, wrong = None, f"its worker was lost {RETRIES + 1} times: {type(lost).__name__}"
            yield unit, found, wrong
    finally:
        for left in waiting:
            ray.cancel(left, force=True)
        if began:
            ray.shutdown()


def _begin(ray: Any, jobs: int) -> None:
    """Connect to the cluster that there is, or begin one here, whose workers import what this process can import."""
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if there := os.environ.get("RAY_ADDRESS"):
        ray.init(there, runtime_env={"py_modules": [str(Path(__file__).parents[1])]}, **quiet)
        return
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        for left in reversed(range(TRIES)):
            try:
                ray.init("local", num_cpus=jobs, include_dashboard=False, **quiet)
                break
            except Exception:  # on a busy machine its parts may miss the seconds that they give each other to begin
                ray.shutdown()
                if not left:
                    raise
    finally:
        os.environ["PYTHONPATH"] = before


ENGINES: dict[str, Callable[..., Iterator[Done]]] = {"here": processes, "ray": on_ray}


def _report(work: Work, unit: Any, end: Any) -> None:
    """What a worker of this machine does."""
    end.send(_attempt(work, unit))


def _attempt(work: Work, unit: Any) -> tuple[Any, str]:
    """What came of a unit, or what went wrong."""
    try:
        importlib.import_module("torch").set_num_threads(1)
        return work(unit), ""
    except BaseException:
        return None, traceback.format_exc().rstrip()
