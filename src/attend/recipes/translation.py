"""Translators of numbers of up to 15 digits, with attention and without, three seeds each, measured by length."""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch
from sacrebleu.metrics import BLEU
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.soft.decode import beam_search, greedy
from attend.soft.seq2seq import Seq2Seq
from attend.soft.translation import Translator, needs_attention
from attend.tasks import dates, numbers, pairs, translation
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/translation.*",)
SEEDS = (0, 1, 2)
READERS = ("attention", "bridge", "bridge, longer")
"""The translator that looks back; one whose only bridge is the last summary, at equal processor time; and the same for

four times as long.
"""
STEPS = {"attention": 800, "bridge": 800, "bridge, longer": 3_200}
"""A step of the bridge is as dear as one of the attention, as it is 2.7 times as wide."""
BINS = ("1-4", "5-9", "10-14", "15-19", "20-24", "25-29")
"""The lengths of sources, in English words."""
WIDTHS = (1, 4, 16)
"""How many beginnings a beam carries along; 1 is greedy."""


@recipe
class TranslationRecipe:
    """One translator, taught on numbers of up to `digits` digits, `most` of each length, in batches of like length."""

    reader: Literal["attention", "bridge", "bridge, longer"] = "attention"
    seed: Seed = 0
    fast: bool = True
    steps: Positive | None = None
    digits: Positive = 15
    most: Positive = 1_500
    batch: Positive = 64

    def build(self) -> Translator | Seq2Seq:
        """The model before it has seen a number: 36,822 weights with attention, 129,566 without."""
        vocabularies = len(translation.ENGLISH), len(translation.GERMAN)
        generator = torch.Generator().manual_seed(self.seed)
        if self.reader == "attention":
            model = Translator(*vocabularies, 24, 48, translation.END, generator)
            return fast(model) if self.fast else model
        model = Seq2Seq(*vocabularies, 32, 128, translation.END, generator)
        return fast(model) if self.fast else model

    def train(self, callbacks=()) -> tuple[Translator | Seq2Seq, History]:
        """Train from the start; about 25 seconds of one processor for 800 steps."""
        rate = 8e-3 if self.reader == "attention" else 4e-3
        stream = alike(encoded("train", self.digits, self.most), self.batch, _seeded(1_000 + self.seed))
        return _taught(self.build(), stream, self.steps or STEPS[self.reader], rate, callbacks, self.reader)

    def load(self) -> Translator:
        """The trained model with attention and seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "translation.safetensors", TranslationRecipe().build()).eval()


@recipe
class DatesRecipe:
    """A small translator of days into Hungarian."""

    seed: Seed = 0
    steps: Positive = 400

    def train(self) -> Translator:
        """Train from the start; about five seconds on one thread."""
        model = fast(Translator(len(dates.ENGLISH), len(dates.HUNGARIAN), 16, 32, dates.END, _seeded(self.seed)))
        stream = pairs.batches(dates.encode(dates.days("train")), 64, _seeded(1_000 + self.seed))
        return _taught(model, stream, self.steps, 1e-2, (), "translating days")[0]

    def measure(self, model: Translator, part: str = "test") -> dict[str, float]:
        """How many days of a part are `exact`, and how often the largest weight stands on the `right word`."""
        of = dates.days(part)
        asked = dates.encode(of)
        written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
        with torch.no_grad():
            weights = model(asked.source, asked.mask, asked.target).weights
        right = translation.on_the_right_word(weights, dates.origins(of))
        exact = pairs.exact(written, asked.target, asked.asked)
        return {"exact": round(exact.double().mean().item(), 4), "right word": round(right.double().mean().item(), 4)}


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _taught(model, stream, steps: int, rate: float, callbacks, label: str):
    """The model after `steps` steps of Adam, whose rate rises for a tenth of them and then falls to zero."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    history = fit(
        model,
        lambda model, batch: pairs.cost(
            model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
        ),
        stream,
        steps=steps,
        optimiser=optimiser,
        schedule=one_cycle(optimiser, steps),
        clip=1.0,
        callbacks=callbacks,
        label=label,
    )
    return model, history


@cache
def encoded(part: str, digits: int = 15, most: int = 1_500) -> pairs.Pairs:
    """The numbers of one part as tokens, encoded once."""
    return translation.encode(numbers.numbers(part, digits, most))


def alike(everything: pairs.Pairs, B: int, generator: torch.Generator, of: int = 8) -> Iterator[pairs.Pairs]:
    """Endless batches of B pairs of like length: `of` batches are drawn at once, sorted, and given in random order.

    So hardly a step is spent on padding (Bahdanau et al. 2014, appendix B.2).
    """
    for many in pairs.batches(everything, of * B, generator):
        rows = many.mask.sum(1).argsort().view(of, B)
        for group in torch.randperm(of, generator=generator).tolist():
            yield pairs.cropped(pairs.Pairs(*(column[rows[group]] for column in many)))


def by_length(values: Tensor, mask: Tensor) -> list[float]:
    """The mean of `values` (B) over the sources of each of `BINS`."""
    place = mask.sum(1) // 5
    return [round(values[place == bin].double().mean().item(), 4) for bin in range(len(BINS))]


def bleu(written: Tensor, target: Tensor) -> float:
    """BLEU from 0 to 100 (sacrebleu), German pieces taken as words."""
    said, wanted = ([translation.spell(row).replace("·", " ") for row in rows] for rows in (written, target))
    return round(BLEU(tokenize="none").corpus_score(said, [wanted]).score, 2)


def aligned(model: Translator, asked: pairs.Pairs, of: tuple[int, ...]) -> dict[str, float]:
    """Over the pieces that say an English word: how often the largest weight stands on it.

    `all` counts every piece, `needed` those at which it mattered where the model looked, whose `share` is given.
    """
    origin = translation.origins(of)
    with torch.no_grad():
        weights = model(asked.source, asked.mask, asked.target).weights
    right = translation.on_the_right_word(weights, origin).double()
    looked = needs_attention(model, asked.source, asked.mask, asked.target)[origin != translation.NOWHERE]
    shares = {"all": right.mean(), "needed": right[looked].mean(), "share": looked.double().mean()}
    return {name: round(share.item(), 4) for name, share in shares.items()}


def measure(model: Translator | Seq2Seq, part: str = "test", most: int = 1_500) -> dict[str, Any]:
    """What a model can do on one part: `exact` and `bleu` over all and by length, and `aligned`, if it looks."""
    of, asked = numbers.numbers(part, 15, most), encoded(part, 15, most)
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    right, place = pairs.exact(written, asked.target, asked.asked), asked.mask.sum(1) // 5
    found = {"exact": round(right.double().mean().item(), 4), "exact by length": by_length(right, asked.mask)}
    found |= {"bleu": bleu(written, asked.target)}
    found["bleu by length"] = [bleu(written[place == bin], asked.target[place == bin]) for bin in range(len(BINS))]
    return found | ({"aligned": aligned(model, asked, of)} if isinstance(model, Translator) else {})


def beams(model: Translator | Seq2Seq, part: str = "test", most: int = 1_500, count: int = 300) -> dict[str, Any]:
    """A beam beside greedy on `count` numbers.

    `exact` for each of `WIDTHS`, and in how many answers the widest `differs` from greedy.
    """
    everything = encoded(part, 15, most)
    rows = torch.linspace(0, len(everything.source) - 1, count).long()
    asked = pairs.Pairs(*(column[rows] for column in everything))
    said = [beam_search(model, asked.source, asked.mask, asked.target.shape[1], width).tokens for width in WIDTHS]
    exact = [round(pairs.exact(tokens, asked.target, asked.asked).double().mean().item(), 4) for tokens in said]
    return {"exact": exact, "differs": int((said[0] != said[-1]).any(1).sum())}


def measured() -> dict[str, dict[str, dict[str, Any]]]:
    """What `export` measured on the test part: by reader and seed, with `steps` and `seconds`; of `dates` by seed."""
    return read_record(path())


def path() -> Path:
    """Where the measurements lie."""
    return WEIGHTS / "translation.json"


def export() -> None:
    """Train and measure all readers; keep the weights of the first with attention. About ten minutes."""
    for part in ("train", "test"):
        encoded(part)
    found: dict[str, dict[str, Any]] = {reader: {} for reader in READERS}
    for reader in READERS:
        for seed in SEEDS:
            recipe, began = TranslationRecipe(reader, seed), time.process_time()
            model, _ = recipe.train()
            seconds = time.process_time() - began
            if (reader, seed) == ("attention", 0):
                save(WEIGHTS / "translation.safetensors", model, dtype=torch.float16)
            row = {"steps": STEPS[reader], "seconds": round(seconds, 1)} | measure(model)
            if seed == 0 and reader != READERS[2]:
                row["beams"] = beams(model)
            found[reader][str(seed)] = row
            print(f"{reader}, {seed}: exact {row['exact']:.3f} after {seconds:.0f} s", flush=True)
            write_record(path(), {"torch": torch.__version__} | found, indent=1)
    export_dates()


def export_dates() -> None:
    """Train the translator of dates with each seed and add what was measured. About fifteen seconds."""
    recipes = {str(seed): DatesRecipe(seed=seed) for seed in SEEDS}
    rows = {seed: recipe.measure(recipe.train()) for seed, recipe in recipes.items()}
    write_record(path(), measured() | {"dates": rows}, indent=1)
