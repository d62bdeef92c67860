"""Looking by content and by location: numbers into German beside a reader without attention, and two light ones."""

import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attend.core.expect import expect
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.readers import ReaderRecipe, encoded, write
from attend.soft.read import AttentionSeq2Seq
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import pairs, translation
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/looking*",)
SEEDS = (0, 1, 2)
READERS = {"no attention": None, "location": "location", "content": "bilinear"}
STEPS = {"no attention": 1_050, "location": 820, "content": 770}
"""Steps of training that take the same processor time, some 20 s."""
BINS = ("1–3", "4–7", "8–11", "12–15", "16–19")
"""Lengths of the English side in words, by which the readers are judged."""
LIGHT = {"location": 0, "content": 1}
"""The seed of each light reader: of content the one, among three, whose looks fit best on the validation numbers."""


def recipe(reader: str, seed: int = 0) -> ReaderRecipe:
    """One of `READERS`, for numbers of up to nine digits."""
    expect(reader in READERS, "reader", reader, f"one of {', '.join(READERS)}")
    return ReaderRecipe(READERS[reader], seed, steps=STEPS[reader])


def light(reader: str) -> ReaderRecipe:
    """One of the two light readers, for numbers of up to six digits, which have at most eleven words."""
    expect(reader in LIGHT, "reader", reader, f"one of {', '.join(LIGHT)}")
    return ReaderRecipe(READERS[reader], LIGHT[reader], digits=6, D=24, H=48, places=11, steps=600)


def load_light(reader: str) -> AttentionSeq2Seq:
    """A light reader with the weights that came with the package."""
    return load(_light_path(reader), light(reader).build()).requires_grad_(False)


def crossed(origin: Tensor) -> Tensor:
    """Which pieces (B, T) change their order: some piece before them says a later word, or one after an earlier one."""
    said = origin != translation.NOWHERE
    up_to = origin.masked_fill(~said, -1).cummax(1).values
    from_on = origin.masked_fill(~said, 10_000).flip(1).cummin(1).values.flip(1)
    return said & ((up_to > origin) | (from_on < origin))


def steps_back(looks: Tensor, origin: Tensor) -> float:
    """How often the looks (B, T) step back where the right words do, from the unit before "und" to the tens behind."""
    unit, tens = origin[:, :-2], origin[:, 2:]
    turned = (origin[:, 1:-1] == translation.NOWHERE) & (tens != translation.NOWHERE) & (tens < unit)
    return (looks[:, 2:] < looks[:, :-2])[turned].double().mean().item()


@torch.no_grad()
def judge(model: Seq2Seq, of: tuple[int, ...]) -> dict[str, Any]:
    """How well a model translates the numbers `of`: the share `exact`, and the same `by length`, for each of `BINS`.

    Of one that looks, when the true pieces are given: how often the largest weight is on the right word, over all
    pieces (`found`), over those that change their order (`crossed`) and the rest (`straight`); how often it is on the
    right word or one of the next two (`near`); and how often it steps back from the unit to the tens, where German
    says the unit first (`back`).
    """
    asked, origin = encoded(of), translation.origins(of)
    right = pairs.exact(write(model, asked).tokens, asked.target, asked.asked).double()
    bins = asked.mask.sum(1) // 4
    judged: dict[str, Any] = {"exact": right.mean().item()}
    judged["by length"] = [right[bins == k].mean().item() if (bins == k).any() else None for k in range(len(BINS))]
    if isinstance(model, AttentionSeq2Seq):
        weights = model(asked.source, asked.mask, asked.target).weights
        off, crosses = (weights.argmax(2) - origin)[origin != translation.NOWHERE], crossed(origin)
        crosses = crosses[origin != translation.NOWHERE]
        judged["found"] = (off == 0).double().mean().item()
        judged["crossed"] = (off[crosses] == 0).double().mean().item()
        judged["straight"] = (off[~crosses] == 0).double().mean().item()
        judged["near"] = ((off >= 0) & (off <= 2)).double().mean().item()
        judged["back"] = steps_back(weights.argmax(2), origin)
    return judged


def measured() -> dict[str, Any]:
    """What `export` measured on the test part: by reader, a list with one record a seed, its `seconds` among them."""
    return read_record(WEIGHTS / "looking.json")


def _light_path(reader: str) -> Path:
    return WEIGHTS / f"looking_{reader}.safetensors"


def export() -> None:
    """Train all readers on one thread, five minutes in all; keep the measurements, and the weights of the light two."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {"torch": torch.__version__}
    for seed in SEEDS:
        for reader in READERS:
            of = recipe(reader, seed)
            encoded(of.of("train"))
            began = time.process_time()
            model, _ = of.train()
            run = {"seconds": round(time.process_time() - began, 1)} | judge(model, of.of("test"))
            found.setdefault(reader, []).append(run)
            print(f"{reader}, seed {seed}: {run}", flush=True)
            write_record(WEIGHTS / "looking.json", found)
    for reader in LIGHT:
        model, _ = light(reader).train()
        print(f"light {reader}: {judge(model, light(reader).of('validation'))}", flush=True)
        save(_light_path(reader), model, dtype=torch.float16)
