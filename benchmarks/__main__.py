"""Measure everything and write one JSON: `make benchmarks`, about ten minutes on a machine that does nothing else."""

import argparse
import hashlib
import json
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path

import matplotlib
import torch
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from tqdm import tqdm

from attend.figures.speed import speed
from benchmarks.machine import machine
from benchmarks.recurrent import BASE, UNITS, Case, cases
from benchmarks.timing import ROUNDS, in_turns

RESULT = Path(__file__).with_name("speed.json")
PICTURE = Path(__file__).parents[1] / "book" / "_assets" / "speed.png"
THREADS = (1, 2)


def measure(case: Case, threads: int, rounds: int) -> dict:
    """One row of the result; times in milliseconds with three digits that mean something."""
    torch.set_num_threads(threads)
    timing = in_turns(*case.runs(), threads=threads, rounds=rounds)
    return {**case.row(), "threads": threads} | {name: float(f"{value:.3g}") for name, value in asdict(timing).items()}


def draw(result: Path = RESULT, to: Path = PICTURE) -> None:
    """The picture of a result, in few colours, with the result's digest inside."""
    matplotlib.use("agg")
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    speed(json.loads(result.read_text())["rows"], list(UNITS), BASE, to)
    about = PngInfo()
    about.add_text("digest", digest(result))
    with Image.open(to) as picture:
        few, dpi = picture.convert("RGBA").quantize(64, method=Image.Quantize.FASTOCTREE), picture.info["dpi"]
    few.save(to, optimize=True, dpi=dpi, pnginfo=about)


def digest(result: Path = RESULT) -> str:
    """By which a picture knows its result."""
    return hashlib.sha256(result.read_bytes()).hexdigest()


def main(arguments: list[str]) -> None:
    """Measure what is asked for, and write it whole or not at all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--picture", action="store_true", help="only draw the result that stands")
    asked = parser.parse_args(arguments)
    if asked.picture:
        return draw()
    # torch says once, on the first use of the switch, that Intel's graphics cards are not there.
    warnings.filterwarnings("ignore", message="TF32 acceleration")
    began = time.perf_counter()
    every = [(case, threads) for threads in THREADS for case in cases()]
    rows = [measure(case, threads, asked.rounds) for case, threads in tqdm(every, desc="comparisons")]
    result = {"machine": machine(), "rounds": asked.rounds, "rows": rows, "seconds": round(time.perf_counter() - began)}
    beside = RESULT.with_suffix(".part")
    beside.write_text(json.dumps(result, indent=1) + "\n")
    beside.replace(RESULT)
    draw()
    print(f"{len(rows)} comparisons in {result['seconds']} s, written to {RESULT.name} and {PICTURE.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
