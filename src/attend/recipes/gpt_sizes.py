"""GPT on the letters of the plays in eight sizes: the page's five, and three that ask for a graphics card.

`python -m attend.recipes gpt_sizes` takes minutes on a large card, with ATTEND_WORKERS=6 models side by side, and most
of a day on two processor cores. What one card measured comes with the package. The learning rates of the three large
ones are the best of three on another seed and on validation scenes, as those of the five small ones are.
"""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import torch
from torch import multiprocessing
from torch.nn.functional import cross_entropy

from attend.core import files
from attend.recipes import WEIGHTS
from attend.recipes.gpt import RATES, TUNED_ON, Capacity, train_language
from attend.tasks import plays
from attend.transformers.gpt import GPT

Job = tuple[int, int, float, int, str]
"""Width, steps, learning rate, seed, and the part of the plays that the loss is measured on."""

DATA = ("recipes/weights/gpt_sizes.json",)
FILE = WEIGHTS / "gpt_sizes.json"
SMALL, LARGE = (8, 16, 32, 64, 128), (256, 512, 1024)
STARTS = {256: 3e-3, 512: 1.5e-3, 1024: 7.5e-4}
"""Learning rates of the large ones, falling as the width grows; half and twice of each are tried as well."""
STEPS = (200, 1_000)
SEEDS = (10, 11, 12, 13, 14)


def device() -> str:
    """A graphics card, where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(width: int, steps: int, rate: float, seed: int) -> GPT:
    """One model, on the batches that `Capacity` reads."""
    model, text = Capacity(width, seed=seed).build().to(device()), plays.stream("train").to(device())
    train_language(model, text, B=16, T=64, steps=steps, rate=rate, seed=seed, label=f"plays, width {width}")
    return model.eval()


@torch.no_grad()
def nats(model: GPT, part: str, rows: int = 1_000) -> float:
    """Nats a character on the first windows of 64 characters of one part of the plays, as `gpt.plays_nats`."""
    text = plays.stream(part).to(model.token.weight.device)
    seen = text[: rows * 64].view(-1, 64)
    logits = torch.cat([model(some)[0] for some in seen.split(100)])
    return cross_entropy(logits.flatten(0, 1), text[1 : seen.numel() + 1]).item()


def done(job: Job) -> float:
    """Train the model of a job, and measure it."""
    *how, part = job
    torch.set_num_threads(1)
    return nats(train(*how), part)


def tried() -> Iterator[Job]:
    """What the learning rates are chosen by."""
    for width, start in STARTS.items():
        for factor in (0.5, 1.0, 2.0):
            yield width, STEPS[0], factor * start, TUNED_ON[0], "validation"


def judged(rates: dict[int, float]) -> Iterator[Job]:
    """What the claims are judged by; the largest first, so that none is waited for."""
    for steps in reversed(STEPS):
        for width in reversed(SMALL + LARGE):
            for seed in SEEDS:
                yield width, steps, rates[width], seed, "test"


def export() -> None:
    """Choose the rates, train all, and write the losses."""
    workers = int(os.environ.get("ATTEND_WORKERS", "2"))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        tuning = list(tried())
        found = dict(zip([job[:3:2] for job in tuning], pool.map(done, tuning), strict=True))
        rates = RATES | {
            width: min((found[width, rate], rate) for w, rate in found if w == width)[1] for width in LARGE
        }
        jobs = list(judged(rates))
        losses = list(pool.map(done, jobs))
    by = {(steps, width): [] for steps in STEPS for width in SMALL + LARGE}
    for (width, steps, *_), loss in zip(jobs, losses, strict=True):
        by[steps, width].append(round(loss, 4))
    on = torch.cuda.get_device_name() if device() == "cuda" else "a processor"
    result = {
        "device": on,
        "torch": torch.__version__,
        "seeds": SEEDS,
        "tried": [[width, rate, round(loss, 4)] for (width, rate), loss in found.items()],
        "rates": rates,
        "weights": {width: weights(width) for width in SMALL + LARGE},
        "nats": {steps: {width: by[steps, width] for width in SMALL + LARGE} for steps in STEPS},
    }
    files.write(FILE, (json.dumps(result, indent=1) + "\n").encode())


def weights(width: int) -> int:
    """How many numbers a model of that width learns."""
    return sum(p.numel() for p in Capacity(width).build().parameters())


@cache
def measured() -> dict[str, Any]:
    """What the card measured."""
    return json.loads(files.read(FILE))


def loss(width: int, steps: int, seed: int) -> float:
    """Nats a character of one of the models."""
    found = measured()
    return found["nats"][str(steps)][str(width)][found["seeds"].index(seed)]
