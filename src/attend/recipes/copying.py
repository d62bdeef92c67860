"""Copying letters by looking: by content and by location, where places can be foreseen and where they cannot."""

import time
from collections.abc import Iterator
from typing import Any, Literal

import torch

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.soft.ablated import AttentionOnly, WordsOnly
from attend.soft.decode import greedy
from attend.soft.read import AttentionSeq2Seq
from attend.tasks import copying, pairs
from attend.tasks.pairs import Pairs
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/copying.json",)
SEEDS = (0, 1, 2)
LETTERS, LONGEST, PLACES = 10, 8, 16
"""Letters of the alphabet; the longest rows of the training; places, of the rows with gaps and of "location"."""
SETTINGS = ("summaries", "words", "gaps")
"""What is read: summaries of rows of letters; the letters' vectors alone; summaries of rows with gaps.

Except in the first, the writer starts from nothing.
"""
LOOKS = {"location": "location", "content": "bilinear"}
LENGTHS = tuple(range(1, 13))


@recipe
class CopyRecipe:
    """A copier of rows of 1 to `LONGEST` letters, in one of `SETTINGS`."""

    setting: Literal["summaries", "words", "gaps"] = "summaries"
    look: Literal["location", "content"] = "content"
    seed: Seed = 0
    fast: bool = True
    H: Positive = 32
    steps: Positive = 400
    batch: Positive = 64
    learning_rate: PositiveFloat = 1e-2

    def build(self) -> AttentionSeq2Seq:
        """The model before it has read a letter."""
        V, generator = LETTERS + 1, torch.Generator().manual_seed(self.seed)
        options = {"score": LOOKS[self.look], "end": copying.END, "max_length": PLACES, "generator": generator}
        if self.setting == "words":
            model = WordsOnly(V, V, self.H, **options)
            return fast(model) if self.fast else model
        kind = AttentionSeq2Seq if self.setting == "summaries" else AttentionOnly
        model = kind(V, V, self.H, self.H, **options)
        return fast(model) if self.fast else model

    def rows(self, count: int, shortest: int, longest: int, generator: torch.Generator) -> Pairs:
        """New rows of this setting."""
        made = copying.sample(count, shortest, longest, LETTERS, generator)
        return copying.with_gaps(made, PLACES, generator) if self.setting == "gaps" else made

    def batches(self) -> Iterator[Pairs]:
        """Endless new rows, seeded apart from those of the judging."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield self.rows(self.batch, 1, LONGEST, generator)

    def train(self, callbacks=()) -> tuple[AttentionSeq2Seq, History]:
        """Train from the start; Adam's rate rises for a tenth of the steps and then falls to zero."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
            ),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"copying {self.setting} by {self.look}, seed {self.seed}",
        )
        return model.requires_grad_(False), history

    def judge(self, model: AttentionSeq2Seq, length: int, count: int = 400) -> float:
        """The share of new rows of this many letters that are copied without a mistake."""
        rows = self.rows(count, length, length, torch.Generator().manual_seed(99))
        written = greedy(model, rows.source, rows.mask, rows.target.shape[1])
        return pairs.exact(written.tokens, rows.target, rows.asked).double().mean().item()


def measured() -> dict[str, Any]:
    """What `export` recorded, by setting and look: `seconds` and `exact`, a row a seed; by columns the LENGTHS."""
    return read_record(WEIGHTS / "copying.json")


def export() -> None:
    """Train every copier with three seeds, on one thread, and write down how well they copy; two minutes."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {"torch": torch.__version__}
    for setting in SETTINGS:
        for look in LOOKS:
            row = found.setdefault(setting, {}).setdefault(look, {"seconds": [], "exact": []})
            for seed in SEEDS:
                recipe, began = CopyRecipe(setting, look, seed), time.process_time()
                model, _ = recipe.train()
                row["seconds"].append(round(time.process_time() - began, 1))
                row["exact"].append([round(recipe.judge(model, length), 3) for length in LENGTHS])
                print(f"{setting}, {look}, {seed}: {row['seconds'][-1]} s, {row['exact'][-1]}", flush=True)
                write_record(WEIGHTS / "copying.json", found)
