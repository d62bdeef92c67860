"""What a graphics card says and a processor cannot: `python -m benchmarks.gpu` on a machine that has one.

One training step of a GRU and of a Transformer that reads text, with as many weights and as many tokens a step, as the
sequences grow; and the two ways to attend, the listing and PyTorch's fused call, in time and in memory.
"""

import argparse
import contextlib
import hashlib
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib
import torch
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention
from torch.utils.benchmark import Timer

from attend.fast import fast
from attend.figures.style import PALETTE, canvas, name_ends
from attend.transformers.tiny_transformer import TinyTransformer
from benchmarks.machine import machine
from benchmarks.timing import ROUNDS

RESULT = Path(__file__).with_name("gpu.json")
PICTURE = Path(__file__).parents[1] / "book" / "_assets" / "speed_gpu.png"
KINDS = {"GRU": "rival", "Transformer": "summary", "listing": "input", "fused": "gate"}
VOCABULARY, LAYERS, TOKENS = 256, 4, 16_384
TRANSFORMER, GRU_WIDTH, GRU_LAYERS = 256, 512, 2
"""Both have 12 · 4 · 256² = 12 · 512² = 3.1 million weights in their layers."""
LENGTHS = (32, 64, 128, 256, 512, 1024, 2048)
LONG = (512, 1024, 2048, 4096, 8192)
HEADS, HEAD = 8, 64
TICKS = (10, 20, 50, 100, 200, 1_000, 4_000, 16_000)
BLOCK = 0.2
"""Seconds that one function runs in one round, at least."""


@dataclass(frozen=True)
class Row:
    """Median and quartiles over the rounds, in milliseconds; the memory that a call adds at its peak, in MiB."""

    task: str
    unit: str
    device: str
    precision: str
    B: int
    T: int
    ms: float
    low_ms: float
    high_ms: float
    MiB: float | None


class Recurrent(nn.Module):
    """A language model of two GRU layers, by PyTorch's own GRU."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, GRU_WIDTH)
        self.gru = nn.GRU(GRU_WIDTH, GRU_WIDTH, GRU_LAYERS, batch_first=True)
        self.head = nn.Linear(GRU_WIDTH, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of the next token, (B, T, VOCABULARY)."""
        return self.head(self.gru(self.embed(tokens))[0])


def models(T: int) -> dict[str, nn.Module]:
    """The two rivals for sequences of T tokens."""
    torch.manual_seed(0)
    transformer = TinyTransformer(
        VOCABULARY, d_model=TRANSFORMER, num_heads=TRANSFORMER // HEAD, num_layers=LAYERS, context=T
    )
    return {"GRU": Recurrent(), "Transformer": fast(transformer)}


def step(model: nn.Module, T: int, device: str) -> Callable:
    """One step of training: loss, gradients, Adam."""
    model.to(device)
    text = torch.randint(0, VOCABULARY, (TOKENS // T, T + 1), device=device)
    optimizer = torch.optim.Adam(model.parameters(), fused=device == "cuda")

    def run() -> None:
        optimizer.zero_grad()
        cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()).backward()
        optimizer.step()

    return run


def listing(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """All weights in one table, under a causal mask."""
    T = query.shape[2]
    later = torch.ones(T, T, dtype=torch.bool, device=query.device).triu(1)
    scores = query @ key.mT / query.shape[3] ** 0.5
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1) @ value


def fused(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The same by PyTorch's call."""
    return scaled_dot_product_attention(query, key, value, is_causal=True)


def attending(attend: Callable, T: int, dtype: torch.dtype) -> Callable:
    """Attention there and back: the output, and the gradients of queries, keys and values."""
    given = [torch.randn(TOKENS // T, HEADS, T, HEAD, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3)]
    gradient = torch.randn_like(given[0])
    return lambda: torch.autograd.grad(attend(*given), given, gradient)


def agree() -> dict[str, float]:
    """How far listing and fused call are from each other on this card, and from double precision: largest distances."""
    torch.manual_seed(0)
    given = [torch.randn(2, HEADS, 1024, HEAD, device="cuda") for _ in range(3)]
    exact = listing(*(one.double() for one in given))
    found = {}
    for dtype in (torch.float32, torch.bfloat16):
        for name, attend in (("listing", listing), ("fused", fused)):
            output = attend(*(one.to(dtype) for one in given))
            found[f"{name}, {dtype}".replace("torch.", "")] = float((output.double() - exact).abs().max())
    return found


def timed(runs: dict[str, Callable], rounds: int, **row: object) -> Iterator[Row]:
    """Time several functions in turns."""
    timers = {
        name: Timer("run()", globals={"run": run}, num_threads=torch.get_num_threads()) for name, run in runs.items()
    }
    calls = {name: max(1, round(BLOCK / timer.timeit(2).mean)) for name, timer in timers.items()}  # also warms up
    peaks = {name: peak(run) if row["device"] == "cuda" else None for name, run in runs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, timer in timers.items():
            seconds[name].append(timer.timeit(calls[name]).mean)
    for name, times in seconds.items():
        low, middle, high = (float(f"{1_000 * one:.3g}") for one in statistics.quantiles(times, n=4))
        yield Row(unit=name, ms=middle, low_ms=low, high_ms=high, MiB=peaks[name], **row)


def peak(run: Callable) -> float:
    """What one call adds to the memory in use, at its peak, in MiB."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return round((torch.cuda.max_memory_allocated() - before) / 2**20, 1)


def measure(rounds: int) -> Iterator[Row]:
    """All rows, one after another."""
    for T in LENGTHS:
        runs = {name: step(model, T, "cuda") for name, model in models(T).items()}
        yield from timed(runs, rounds, task="training", device="cuda", precision="float32 (TF32)", B=TOKENS // T, T=T)
    for dtype in (torch.float32, torch.bfloat16):
        for T in LONG:
            runs = {name: attending(attend, T, dtype) for name, attend in (("listing", listing), ("fused", fused))}
            name = str(dtype).removeprefix("torch.")
            yield from timed(runs, rounds, task="attention", device="cuda", precision=name, B=TOKENS // T, T=T)
    for T in (32, 256):
        runs = {name: step(model, T, "cpu") for name, model in models(T).items()}
        yield from timed(runs, 3, task="training", device="cpu", precision="float32", B=TOKENS // T, T=T)


def draw(result: Path = RESULT, to: Path = PICTURE) -> None:
    """The picture of a result: the time of a training step, and the memory of attention, as the sequences grow."""
    matplotlib.use("agg")
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    rows = [row for row in json.loads(result.read_text())["rows"] if row["device"] == "cuda"]
    with canvas(1, 2, height=2.6) as (figure, panels):
        _lines(panels[0], [row for row in rows if row["task"] == "training"], "ms", "ms a training step")
        attention = [row for row in rows if row["task"] == "attention" and row["precision"] == "float32"]
        _lines(panels[1], attention, "MiB", "MiB for attention")
        figure.savefig(to)
    about = PngInfo()
    about.add_text("digest", digest(result))
    with Image.open(to) as picture:
        few, dpi = picture.convert("RGBA").quantize(64, method=Image.Quantize.FASTOCTREE), picture.info["dpi"]
    few.save(to, optimize=True, dpi=dpi, pnginfo=about)


def _lines(axes: Axes, rows: list[dict], key: str, label: str) -> None:
    lengths = sorted({row["T"] for row in rows})
    axes.set(xscale="log", yscale="log", xlabel="tokens T", ylabel=label)
    ends = {}
    for unit in dict.fromkeys(row["unit"] for row in rows):
        values = [row[key] for row in sorted(rows, key=lambda row: row["T"]) if row["unit"] == unit]
        axes.plot(lengths, values, color=PALETTE[KINDS[unit]], lw=1.5)
        ends[unit] = (lengths[-1], values[-1], KINDS[unit])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator(lengths[:: len(lengths) // 2]))
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in TICKS if low < tick < high]))
    name_ends(axes, ends)


def digest(result: Path) -> str:
    """By which a picture knows its result."""
    return hashlib.sha256(result.read_bytes()).hexdigest()


def main(arguments: list[str]) -> int:
    """Measure, and write the result whole or not at all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=RESULT)
    parser.add_argument("--picture", action="store_true", help="only draw the result that stands")
    asked = parser.parse_args(arguments)
    if asked.picture:
        draw()
        return 0
    if not torch.cuda.is_available():
        print("device: got a machine without CUDA, expected one with a graphics card", file=sys.stderr)
        return 2
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous chunk")
    began = time.perf_counter()
    rows = []
    for row in measure(asked.rounds):
        rows.append(asdict(row))
        print(row, flush=True)
    weights = {name: sum(p.numel() for p in model.parameters()) for name, model in models(LENGTHS[0]).items()}
    on = machine() | {
        "gpu": torch.cuda.get_device_name(),
        "cuda": torch.version.cuda,
        "threads": torch.get_num_threads(),
    }
    result = {
        "machine": on,
        "rounds": asked.rounds,
        "weights": weights,
        "agree": agree(),
        "rows": rows,
        "seconds": round(time.perf_counter() - began),
    }
    beside = asked.to.with_suffix(".part")
    beside.write_text(json.dumps(result, indent=1) + "\n")
    beside.replace(asked.to)
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
