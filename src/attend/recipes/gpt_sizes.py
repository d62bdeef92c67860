"""GPT on the letters of the plays in eight sizes: the page's five, and three that ask for a graphics card.

`python -m attend.recipes gpt_sizes` takes minutes on a large card, with ATTEND_WORKERS=8 models side by side, and ten
hours of one processor core. What one card measured comes with the package. The learning rate of every size is the
best of five on another seed and on validation scenes, with as many steps as are judged.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import torch
from torch import multiprocessing
from torch.nn.functional import cross_entropy

from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.gpt import TUNED_ON, Capacity, train_language
from attend.tasks import plays
from attend.transformers.gpt import GPT

Job = tuple[int, float, int, str]
"""Width, learning rate, seed, and the part of the plays that the loss is measured on."""

DATA = ("recipes/weights/gpt_sizes.json",)
FILE = WEIGHTS / "gpt_sizes.json"
WIDTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
LOWEST = {8: 0.015, 16: 0.015, 32: 6e-3, 64: 3e-3, 128: 7.5e-4, 256: 3.75e-4, 512: 1.875e-4, 1024: 9.375e-5}
"""The lowest learning rate that is tried for each; the others are 2, 4, 8 and 16 times as high."""
STEPS = 1_000
SEEDS = (20, 21, 22, 23, 24)


def device() -> str:
    """A graphics card, where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(width: int, rate: float, seed: int) -> GPT:
    """One model, on the batches that `Capacity` reads."""
    model, text = Capacity(width, seed=seed).build().to(device()), plays.stream("train").to(device())
    train_language(model, text, B=16, T=64, steps=STEPS, rate=rate, seed=seed, label=f"plays, width {width}")
    return model.eval()


@torch.no_grad()
def nats(model: GPT, part: str, rows: int = 1_000) -> float:
    """Nats a character on the first windows of 64 characters of one part of the plays, as `gpt.plays_nats`."""
    text = plays.stream(part).to(model.token.weight.device)
    seen = text[: rows * 64].view(-1, 64)
    logits = torch.cat([model(some)[0] for some in seen.split(100)])
    return cross_entropy(logits.flatten(0, 1), text[1 : seen.numel() + 1]).item()


def done(job: Job) -> dict[str, float]:
    """Train the model of a job, and measure it on scenes it has seen and on the others."""
    *how, part = job
    torch.set_num_threads(1)
    model = train(*how)
    return {which: round(nats(model, which), 4) for which in ("train", part)}


def tried() -> list[Job]:
    """What the learning rates are chosen by; the largest first, so that none is waited for."""
    return [
        (width, factor * LOWEST[width], TUNED_ON[0], "validation")
        for width in reversed(WIDTHS)
        for factor in (1, 2, 4, 8, 16)
    ]


def judged(rates: dict[int, float]) -> list[Job]:
    """What the claim is judged by."""
    return [(width, rates[width], seed, "test") for width in reversed(WIDTHS) for seed in SEEDS]


def export() -> None:
    """Choose the rates, train all, and write the losses."""
    workers = int(os.environ.get("ATTEND_WORKERS", "2"))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        choices, choice = tried(), {}
        for (width, rate, *_), found in zip(choices, pool.map(done, choices), strict=True):
            print(f"width {width}, rate {rate:g}: {found}", flush=True)
            choice.setdefault(width, {})[rate] = found["validation"]
        jobs, nats = judged({width: min(by_rate, key=by_rate.get) for width, by_rate in choice.items()}), {}
        for (width, _, seed, _), found in zip(jobs, pool.map(done, jobs), strict=True):
            print(f"width {width}, seed {seed}: {found}", flush=True)
            nats.setdefault(width, {})[seed] = found
    found = {
        "device": torch.cuda.get_device_name() if device() == "cuda" else "a processor",
        "torch": torch.__version__,
        "weights": {width: weights(width) for width in nats},
        "rates": choice,
        "nats": nats,
    }
    write_record(FILE, found, indent=1)


def weights(width: int) -> int:
    """How many numbers a model of that width learns."""
    return sum(p.numel() for p in Capacity(width).build().parameters())


@cache
def measured() -> dict[str, Any]:
    """What the card measured."""
    return read_record(FILE)


def loss(width: int, seed: int, part: str = "test") -> float:
    """Nats a character of one of the models, on scenes it has not seen, or on those it has.

    A seed that the card did not measure is trained here: an hour for the eight widths on one processor core.
    """
    known = measured()
    if str(seed) in known["nats"][str(width)]:
        return known["nats"][str(width)][str(seed)][part]
    by_rate = known["rates"][str(width)]
    return nats(train(width, float(min(by_rate, key=by_rate.get)), seed), part)
