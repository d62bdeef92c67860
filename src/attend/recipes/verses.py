"""Who finds the links that people drew between Greek and English verses: a table of words, and two kinds of attention.

`python -m attend.recipes verses` trains everything again over three seeds, in about six minutes of one processor, and
writes the aligner's weights and what was measured; `python -m attend.recipes.verses aligner` only the named part.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from attend.core.expect import expect, recipe
from attend.core.types import DropRate, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.soft import lexicon
from attend.soft.aligner import Aligner, posterior
from attend.soft.read import AttentionSeq2Seq
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import verses
from attend.tasks.pairs import Pairs, cost, cropped
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/verses.*",)
SEEDS = (0, 1, 2)
GREEK, ENGLISH = 7_200, 3_500
"""Entries of the vocabularies of the table: more than there are words, so that every training word has its own."""
ROUNDS, SMOOTHING, STRENGTH = 5, 1e-3, 10.0
"""Rounds of EM, what is added to counts, and the pull of the diagonal, as they did best on the validation part."""


def words(greek: int = GREEK, english: int = ENGLISH) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The vocabularies of both languages."""
    return verses.vocabulary("greek", greek), verses.vocabulary("english", english)


@cache
def whole(part: str, greek: int = GREEK, english: int = ENGLISH) -> Pairs:
    """All verses of a part, as tokens of vocabularies of this size."""
    return verses.encode(verses.load(part), *words(greek, english))


@cache
def table() -> Tensor:
    """The table of IBM Model 1 after `ROUNDS` rounds over the training verses; a few seconds."""
    pairs, (greek, english) = whole("train"), words()
    learned = lexicon.uniform_table(len(english), len(greek))
    for _ in range(ROUNDS):
        weights = lexicon.e_step(learned, pairs.source, pairs.target, pairs.mask)
        learned = lexicon.m_step(weights, pairs.source, pairs.target, pairs.asked, learned, SMOOTHING)
    return learned


def _said(part: str) -> Tensor:
    """What the table says of each pair of words in the verses of a part."""
    pairs = whole(part)
    return lexicon.pair_probs(table(), pairs.source, pairs.target)


def error(weights: Tensor, part: str) -> float:
    """The alignment error rate of weights on all verses of a part."""
    return verses.alignment_error_rate(verses.chosen(weights, whole(part)), verses.gold(verses.load(part)))


def _rows(count: int, B: int, generator: torch.Generator) -> Iterator[Tensor]:
    while True:
        yield from torch.randperm(count, generator=generator).split(B)


def _cut(pairs: Pairs, rows: Tensor) -> Pairs:
    return cropped(Pairs(*(column[rows] for column in pairs)))


@recipe
class AlignerRecipe:
    """The aligner: small vocabularies for where to look, the whole table for what is found there."""

    greek: Positive = 800
    english: Positive = 600
    D: Positive = 20
    H: Positive = 56
    batch: Positive = 32
    steps: Positive = 1_600
    learning_rate: PositiveFloat = 5e-3
    drop: DropRate = 0.3
    seed: Seed = 0
    fast: bool = True

    def build(self) -> Aligner:
        """The model before training."""
        generator = torch.Generator().manual_seed(self.seed)
        model = Aligner(self.greek, self.english, self.D, self.H, verses.END, generator)
        return fast(model) if self.fast else model

    def train(self) -> tuple[Aligner, History]:
        """Train from the start; about half a minute on one thread."""
        generator, pairs = torch.Generator().manual_seed(1_000 + self.seed), whole("train", self.greek, self.english)
        said = _said("train")

        def loss(model: Aligner, rows: Tensor) -> Tensor:
            batch = _cut(pairs, rows)
            weights = model(batch.source, batch.mask, batch.target, self.drop, generator)
            return lexicon.cross_entropy(said[rows, : weights.shape[1], : weights.shape[2]], weights, batch.asked)

        return _fit(self.build(), loss, len(pairs.source), self, generator)

    @torch.no_grad()
    def weights(self, model: Aligner, part: str) -> dict[str, Tensor]:
        """Where `model` looks `before` and `after` it sees each word of a part."""
        few, full = whole(part, self.greek, self.english), whole(part)
        first = model(few.source, few.mask, few.target)
        return {"before": first, "after": posterior(first, table(), full.source, full.target, full.mask)}

    def measure(self, model: Aligner, part: str = "test") -> dict[str, float]:
        """The error rate `before` and `after`, and the `surprise`, in nats a word."""
        looked = self.weights(model, part)
        nats = lexicon.cross_entropy(_said(part), looked["before"], whole(part).asked).item()
        return {name: error(weights, part) for name, weights in looked.items()} | {"surprise": nats}

    def load(self) -> Aligner:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "verses.safetensors", self.build())


@recipe
class TranslatorRecipe:
    """A translator of verses, with attention or without, taught the usual way: to say the next word."""

    attention: bool = True
    greek: Positive = 2_000
    english: Positive = 1_500
    D: Positive = 48
    H: Positive = 64
    batch: Positive = 32
    steps: Positive = 600
    learning_rate: PositiveFloat = 2e-3
    seed: Seed = 0
    fast: bool = True

    def build(self) -> Seq2Seq:
        """The model before training."""
        generator = torch.Generator().manual_seed(self.seed)
        kind = AttentionSeq2Seq if self.attention else Seq2Seq
        model = kind(self.greek, self.english, self.D, self.H, end=verses.END, generator=generator)
        return fast(model) if self.fast else model

    def train(self) -> tuple[Seq2Seq, History]:
        """Train from the start; about half a minute on one thread, as the aligner."""
        generator, pairs = torch.Generator().manual_seed(1_000 + self.seed), whole("train", self.greek, self.english)

        def loss(model: Seq2Seq, rows: Tensor) -> Tensor:
            batch = _cut(pairs, rows)
            return cost(model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked)

        return _fit(self.build(), loss, len(pairs.source), self, generator)

    @torch.no_grad()
    def measure(self, model: Seq2Seq, part: str = "test") -> dict[str, float]:
        """The `perplexity` of a part and, with attention, the error rate `before` each word and a step `later`."""
        pairs = whole(part, self.greek, self.english)
        logits, weights = model(pairs.source, pairs.mask, pairs.target)
        found = {"perplexity": cost(logits, pairs.target, pairs.asked).exp().item()}
        if weights is None:
            return found
        later = torch.cat([weights[:, 1:], weights[:, -1:]], dim=1)
        return found | {"before": error(weights, part), "later": error(later, part)}


def _fit(model: Any, loss: Any, count: int, recipe: Any, generator: torch.Generator) -> tuple[Any, History]:
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
    schedule = one_cycle(optimiser, recipe.steps)
    history = fit(
        model,
        loss,
        _rows(count, recipe.batch, generator),
        steps=recipe.steps,
        optimiser=optimiser,
        schedule=schedule,
        clip=1.0,
        label="reading verses",
    )
    return model, history


KINDS = {
    "aligner": AlignerRecipe(),
    "translator": TranslatorRecipe(),
    "without attention": TranslatorRecipe(attention=False),
}
"""What `export` trains and measures, by name."""


def results() -> dict[str, Any]:
    """What `export` measured on the test part: by name a value for each seed, and processor `seconds` a seed."""
    return read_record(WEIGHTS / "verses.json")


def export(*names: str) -> None:
    """Train the named recipes three times, on one thread, and write what was measured; without a name all of them.

    The weights of the first aligner are written. Raises ValueError for an unknown name.
    """
    torch.set_num_threads(1)
    for name in names:
        expect(name in KINDS, "names", name, f"names among {', '.join(KINDS)}")
    found = results() if names else {}
    table()
    for name in names or KINDS:
        began, values = time.process_time(), []
        for seed in SEEDS:
            recipe = replace(KINDS[name], seed=seed)
            model, _ = recipe.train()
            values.append(recipe.measure(model))
            if seed == 0 and name == "aligner":
                save(WEIGHTS / "verses.safetensors", model, dtype=torch.float16)
        found[name] = {key: [value[key] for value in values] for key in values[0]}
        found[name]["seconds"] = round((time.process_time() - began) / len(SEEDS))
        found["torch"] = torch.__version__
        write_record(WEIGHTS / "verses.json", found)


if __name__ == "__main__":
    export(*sys.argv[1:])
