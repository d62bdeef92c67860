"""Measure, write a JSON and a picture for each suite: `make benchmarks`, a quarter of an hour on a quiet machine."""

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
from benchmarks import attention, ctc, decoding, recurrent, transformers
from benchmarks.case import Case
from benchmarks.machine import machine
from benchmarks.timing import ROUNDS, in_turns

SUITES = {
    "recurrent": recurrent,
    "attention": attention,
    "transformers": transformers,
    "decoding": decoding,
    "ctc": ctc,
}
"""What can be measured: modules with cases, UNITS, BASE, and RATIO, whose times are compared."""
PICTURES = Path(__file__).parents[1] / "book" / "_assets"
THREADS = (1, 2)


def result_of(suite: str) -> Path:
    """Where the result of a suite stands."""
    return Path(__file__).with_name(f"{suite}.json")


def picture_of(suite: str) -> Path:
    """Where its picture stands."""
    return PICTURES / f"speed_{suite}.png"


def measure(case: Case, threads: int, rounds: int) -> dict:
    """One row of the result; times in milliseconds with three digits that mean something."""
    torch.set_num_threads(threads)
    timing = in_turns(*case.runs(), threads=threads, rounds=rounds)
    return {**case.row(), "threads": threads} | {name: float(f"{value:.3g}") for name, value in asdict(timing).items()}


def draw(suite: str) -> None:
    """The picture of a result, in few colours, with the result's digest inside."""
    matplotlib.use("agg")
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    of, result, to = SUITES[suite], result_of(suite), picture_of(suite)
    speed(json.loads(result.read_text())["rows"], list(of.UNITS), of.BASE, to, of.RATIO)
    about = PngInfo()
    about.add_text("digest", digest(result))
    with Image.open(to) as picture:
        few, dpi = picture.convert("RGBA").quantize(64, method=Image.Quantize.FASTOCTREE), picture.info["dpi"]
    few.save(to, optimize=True, dpi=dpi, pnginfo=about)


def digest(result: Path) -> str:
    """By which a picture knows its result."""
    return hashlib.sha256(result.read_bytes()).hexdigest()


def run(suite: str, rounds: int) -> None:
    """Measure one suite, and write it whole or not at all."""
    began = time.perf_counter()
    every = [(case, threads) for threads in THREADS for case in SUITES[suite].cases()]
    rows = [measure(case, threads, rounds) for case, threads in tqdm(every, desc=f"{suite}: comparisons")]
    result = {"machine": machine(), "rounds": rounds, "rows": rows, "seconds": round(time.perf_counter() - began)}
    beside = result_of(suite).with_suffix(".part")
    beside.write_text(json.dumps(result, indent=1) + "\n")
    beside.replace(result_of(suite))
    draw(suite)
    print(f"{suite}: {len(rows)} comparisons in {result['seconds']} s, written to {result_of(suite).name}")


def main(arguments: list[str]) -> None:
    """Measure the suites that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suites", nargs="*", metavar="SUITE", help=f"some of {', '.join(SUITES)}; all when none is named"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--picture", action="store_true", help="only draw the results that stand")
    asked = parser.parse_args(arguments)
    for suite in asked.suites:
        if suite not in SUITES:
            parser.error(f"SUITE: got {suite!r}, expected one of {', '.join(SUITES)}")
    # torch says once, on the first use of the switch, that Intel's graphics cards are not there.
    warnings.filterwarnings("ignore", message="TF32 acceleration")
    for suite in asked.suites or SUITES:
        if asked.picture:
            draw(suite)
        else:
            run(suite, asked.rounds)


if __name__ == "__main__":
    main(sys.argv[1:])
