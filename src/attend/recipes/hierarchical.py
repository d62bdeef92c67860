"""Readers of dialogues, of words and turns or of one row of words: a planned journey and real plays, three seeds."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from attend.core.expect import expect, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.gating.hierarchical import DialogueModel, FlatEncoderDecoder, HierarchicalEncoderDecoder
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import dialogue, turns
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/hierarchical*",)
SEEDS = (0, 1, 2)
READERS = ("hierarchical", "flat", "spread levels", "spread row")
"""Two levels; one row of words; and both of them with keep biases spread over time scales."""

LENGTHS = (8, 10, 12, 24, 48, 96)
"""The lengths of turns on which the readers are judged, in words; the first three are those of the training."""

BACKS = (1, 2, 3, 4)

WORDS_KEPT, TURN_KEPT, TURNS_KEPT = 120.0, 24.0, 10.0
"""The longest time scales: about twice the longest dialogue of the training in words, a turn, a dialogue in turns."""

STEPS = {"hierarchical": 1_000, "flat": 800, "spread levels": 1_000, "spread row": 800}
"""How long each reader trains: about half a minute of one processor for all."""

BEGUN = 400
"""The steps of a training that the page does before the reader's eyes."""


def build(reader: str, V: int, D: int, H: int, wide: int, seed: int) -> DialogueModel:
    """A reader before training; the flat ones have a context of `wide` numbers, the others of H.

    The time scales go up to WORDS_KEPT in one row, up to TURN_KEPT words and TURNS_KEPT turns on two levels.
    """
    expect(reader in READERS, "reader", reader, f"one of {', '.join(READERS)}")
    generator, spread = torch.Generator().manual_seed(seed), reader.startswith("spread")
    if reader in ("hierarchical", "spread levels"):
        return HierarchicalEncoderDecoder(
            V, D, H, H, longest=(TURN_KEPT, TURNS_KEPT) if spread else None, generator=generator
        )
    return FlatEncoderDecoder(V, D, H, wide, longest=WORDS_KEPT if spread else None, generator=generator)


def tensors(model: DialogueModel) -> dict[str, Tensor]:
    """A model's tensors by the names that the live figure gives them: `words`, `reader.from_input.weight` and so on."""
    parts = {"reader": model.encoder, "writer": model.decoder.rnn}
    if isinstance(model, HierarchicalEncoderDecoder):
        parts["context"] = model.context_rnn
    parts |= {"begin": model.decoder.init_hidden, "readout": model.decoder.readout}
    named = {f"{name}.{part}": tensor for name, of in parts.items() for part, tensor in of.named_parameters()}
    return {"words": model.embed.weight} | named


@recipe
class DialogueRecipe:
    """One reader, taught to answer about a planned journey; the turns of a batch have 8, 10 or 12 words.

    The first `stage` steps see dialogues of one turn and a question, the next of up to two, and so on up to four. The
    flat readers' context is wider, so that all have as good as equally many weights.
    """

    reader: Literal["hierarchical", "flat", "spread levels", "spread row"] = "hierarchical"
    seed: Seed = 0
    fast: bool = True
    steps: Positive | None = None
    stage: Positive = 100
    B: Positive = 256
    D: Positive = 16
    H: Positive = 44
    wide: Positive = 65
    learning_rate: PositiveFloat = 2e-2

    def build(self) -> DialogueModel:
        """The model before it has read a word."""
        model = build(self.reader, len(dialogue.WORDS), self.D, self.H, self.wide, self.seed)
        return fast(model) if self.fast else model

    def batches(self) -> Iterator[dialogue.Dialogues]:
        """Endless new dialogues of one to four turns and a question, seeded apart from those of the judging."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        parts = [dialogue.turns(length, generator) for length in LENGTHS[:3]]

        def drawn(count: int) -> int:
            return int(torch.randint(count, (), generator=generator))

        for step in itertools.count():
            told = 1 + drawn(min(1 + step // self.stage, len(BACKS)))
            yield dialogue.sample(self.B, parts[drawn(len(parts))], generator, told)

    def train(self, callbacks=()) -> tuple[DialogueModel, History]:
        """Train from the start; Adam's rate rises for a tenth of the steps and then falls to zero."""
        model, steps = self.build(), self.steps or STEPS[self.reader]
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: dialogue.cost(model(batch.words, batch.mask, batch.answer), batch.answer, batch.asked),
            self.batches(),
            steps=steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.reader}, seed {self.seed}",
        )
        return model, history

    def judge(self, model: DialogueModel, length: int, back: int, count: int = 500) -> float:
        """The share of exact answers on `count` new dialogues of four turns of `length` words, with new small talk."""
        generator = torch.Generator().manual_seed(99)
        batch = dialogue.sample(count, dialogue.turns(length, generator), generator, told=4, back=back)
        written = model.generate(batch.words, batch.mask, batch.answer.shape[1])
        return dialogue.exact(written, batch.answer, batch.asked).double().mean().item()

    def path(self) -> Path:
        """Where the weights lie."""
        return WEIGHTS / f"hierarchical_{self.reader.replace(' ', '_')}_{self.seed}.safetensors"

    def load(self) -> DialogueModel:
        """The trained model, from the weights that came with the package."""
        return load(self.path(), self.build()).eval()


@recipe
class TurnsRecipe:
    """One reader, taught to foretell the next turn of a play from the three before it, or ("alone") from nothing.

    The reader that hears nothing is the hierarchical one, whose dialogue is the end of one turn and no more.
    """

    reader: Literal["hierarchical", "flat", "spread levels", "spread row", "alone"] = "hierarchical"
    seed: Seed = 0
    fast: bool = True
    steps: Positive = 150
    B: Positive = 64
    D: Positive = 32
    H: Positive = 64
    wide: Positive = 92
    learning_rate: PositiveFloat = 1e-2

    def build(self) -> DialogueModel:
        """The model before it has read a play."""
        reader = "hierarchical" if self.reader == "alone" else self.reader
        model = build(reader, turns.V, self.D, self.H, self.wide, self.seed)
        return fast(model) if self.fast else model

    def heard(self, part: str) -> turns.Exchanges:
        """One part of the plays, as this reader gets to hear it."""
        found = turns.exchanges(part)
        return turns.unheard(found) if self.reader == "alone" else found

    def train(self, callbacks=()) -> tuple[DialogueModel, History]:
        """Train from the start, two passes over the training scenes."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: turns.cost(model(batch.words, batch.mask, batch.answer), batch.answer, batch.asked),
            turns.batches(self.heard("train"), self.B, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"plays, {self.reader}, seed {self.seed}",
        )
        return model, history

    @torch.no_grad()
    def measure(self, model: DialogueModel, part: str = "test") -> float:
        """The perplexity a word of the next turns of one part."""
        heard = self.heard(part)
        return turns.cost(model(heard.words, heard.mask, heard.answer), heard.answer, heard.asked).exp().item()


PLAYERS = ("hierarchical", "flat", "alone")


def measured() -> dict[str, Any]:
    """What `export` recorded.

    `dialogue`, by reader: `seconds` for each seed, and `exact`, for each seed the rows of LENGTHS by the columns of
    BACKS. `begun`, for each seed the share of exact answers (12 words, three turns back) of two levels with spread
    biases after BEGUN steps. `plays`, by reader: `seconds` and `test` (perplexity a word) for each seed.
    """
    return read_record(WEIGHTS / "hierarchical.json")


def _dialogue(reader: str, seed: int) -> tuple[float, list[list[float]]]:
    recipe, began = DialogueRecipe(reader, seed), time.process_time()
    model, _ = recipe.train()
    seconds = round(time.process_time() - began, 1)
    if seed == 0:
        save(recipe.path(), model, dtype=torch.float16)
    exact = [[round(recipe.judge(model, length, back), 3) for back in BACKS] for length in LENGTHS]
    print(f"dialogue, {reader}, seed {seed}: {seconds} s, exact {exact}", flush=True)
    return seconds, exact


def _begun(seed: int) -> float:
    recipe = DialogueRecipe("spread levels", seed, steps=BEGUN)
    share = round(recipe.judge(recipe.train()[0], 12, 3), 3)
    print(f"dialogue, begun, seed {seed}: exact {share}", flush=True)
    return share


def _plays(reader: str, seed: int) -> tuple[float, float]:
    recipe, began = TurnsRecipe(reader, seed), time.process_time()
    model, _ = recipe.train()
    seconds, surprise = round(time.process_time() - began, 1), recipe.measure(model)
    print(f"plays, {reader}, seed {seed}: {seconds} s, perplexity {surprise:.2f}", flush=True)
    return seconds, round(surprise, 2)


def export() -> None:
    """Train every reader on both kinds of talk with three seeds, on one thread, and write weights and measurements."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {"torch": torch.__version__, "dialogue": {}, "plays": {}}
    for reader in READERS:
        seconds, exact = zip(*(_dialogue(reader, seed) for seed in SEEDS), strict=True)
        found["dialogue"][reader] = {"seconds": seconds, "exact": exact}
    found["begun"] = [_begun(seed) for seed in SEEDS]
    for reader in PLAYERS:
        seconds, test = zip(*(_plays(reader, seed) for seed in SEEDS), strict=True)
        found["plays"][reader] = {"seconds": seconds, "test": test}
    write_record(WEIGHTS / "hierarchical.json", found)
