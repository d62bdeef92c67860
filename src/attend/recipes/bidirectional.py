"""Two tasks of two sides: where each spoken digit is written, and which letter of a play is missing."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from attend.core.expect import checked, expect, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.bidirectional import Bidirectional, FillIn, Tagger, reverse
from attend.gating.lstm import LSTM, LanguageModel
from attend.recipes import WEIGHTS
from attend.tasks import places, plays
from attend.tasks.numbers import ENGLISH
from attend.train.checkpoint import load, save
from attend.train.fit import fit

DATA = ("recipes/weights/bidirectional.safetensors",)
WAIT = 5
"""So many words after a digit its place is always known (`places.ceiling`)."""
MOST = 4_000
"""So many numbers of each length are drawn, and split into the three parts."""
RATES = {"both": 1e-2, "left": 2e-2, "right": 5e-3, "late": 2e-2}
GAP_RATES = {"both": 4e-2, "left": 4e-2}
"""Adam's rate by encoder, the best of GRID, or of GAP_GRID, for each on the seed of TUNED_ON (`tune`)."""
GRID, GAP_GRID = (5e-3, 1e-2, 2e-2), (5e-3, 1e-2, 2e-2, 4e-2)
TUNED_ON = (100,)


@cache
def spoken(part: str) -> places.Spoken:
    """The numbers of one part."""
    return places.encode(places.numbers(part, MOST))


class Backwards(nn.Module):
    """A recurrent layer that reads each row from its end, alone."""

    @checked
    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer, self.input_size, self.hidden_size = layer, layer.input_size, layer.hidden_size

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden states (B, T, H), and the layer's last state."""
        hidden, last = self.layer(reverse(x, mask), mask=mask)
        return reverse(hidden, mask), last


class Late(nn.Module):
    """A recurrent layer that answers `wait` steps late: step t gets the hidden state of step t + wait."""

    @checked
    def __init__(self, layer: nn.Module, wait: Positive):
        super().__init__()
        self.layer, self.wait = layer, wait
        self.input_size, self.hidden_size = layer.input_size, layer.hidden_size

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden states (B, T, H), and the layer's last state; behind the end of a row it reads zeros."""
        longer = pad(x * mask[..., None], (0, 0, 0, self.wait))  # (B, T + wait, D)
        hidden, last = self.layer(longer)
        return hidden[:, self.wait :], last


@recipe
class PlacesRecipe:
    """A tagger of spoken digits on LSTMs, with 8,900 weights to within one part in a hundred.

    `kind` says what it hears of the other words: those to the left, those to the right, both, or, answering late, those
    to the left and five more.
    """

    kind: Literal["both", "left", "right", "late"] = "both"
    seed: NonNegative = 0
    steps: Positive = 200
    rate: PositiveFloat | None = None

    def build(self) -> Tagger:
        """The tagger before training."""
        torch.manual_seed(self.seed)
        if self.kind == "both":
            encoder = Bidirectional(LSTM(16, 24), LSTM(16, 24))
        else:
            layer = LSTM(16, 37)
            encoder = {"left": layer, "right": Backwards(layer), "late": Late(layer, WAIT)}[self.kind]
        return Tagger(len(ENGLISH), encoder, (places.LONGEST, places.LONGEST))

    def train(self, callbacks=()) -> Tagger:
        """Train from the start, some five seconds on one thread."""
        model, rate = fast(self.build()), self.rate or RATES[self.kind]
        fit(
            model,
            self.cost,
            places.batches(spoken("train"), 64, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=1.0,
            callbacks=callbacks,
            label=f"placing digits, {self.kind}",
        )
        return model

    def cost(self, model: Tagger, batch: places.Spoken) -> Tensor:
        """The cross-entropy of both answers together."""
        place, column = model(batch.tokens, batch.mask)
        return places.cost(place, batch.place, batch.asked) + places.cost(column, batch.column, batch.asked)

    @torch.no_grad()
    def measure(self, model: Tagger, part: str = "test") -> dict[str, float]:
        """The share of right answers to each question, on the numbers of one part."""
        of = spoken(part)
        place, column = model(of.tokens, of.mask)
        return {"place": places.accuracy(place, of.place, of), "column": places.accuracy(column, of.column, of)}

    def load(self) -> Tagger:
        """The trained tagger that hears both ways, from the weights that came with the package."""
        expect(self.kind == "both", "kind", self.kind, "'both', whose weights come with the package")
        return load(WEIGHTS / "bidirectional.safetensors", self.build())


@recipe
class GapRecipe:
    """The letter in a gap: from both sides by two LSTMs of 48 cells, or from the left by one of 78.

    They have 49,119 and 49,281 weights.
    """

    kind: Literal["both", "left"] = "both"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> FillIn | LanguageModel:
        """The model before training."""
        torch.manual_seed(self.seed)
        V = len(plays.ALPHABET)
        return FillIn(LSTM(V, 48), LSTM(V, 48)) if self.kind == "both" else LanguageModel(LSTM(V, 78))

    def batches(self) -> Iterator[Tensor]:
        """Endless rows of 64 letters of the training scenes, 32 at a time."""
        letters, generator = plays.stream("train"), torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            first = torch.randint(len(letters) - 64, (32, 1), generator=generator)
            yield letters[first + torch.arange(64)]

    def train(self, callbacks=()) -> FillIn | LanguageModel:
        """Train from the start."""
        model, rate = fast(self.build()), self.rate or GAP_RATES[self.kind]
        fit(
            model,
            self.cost,
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=1.0,
            callbacks=callbacks,
            label=f"letters in gaps, {self.kind}",
        )
        return model

    def cost(self, model: FillIn | LanguageModel, letters: Tensor) -> Tensor:
        """The cross-entropy of letters 1 to T - 2, each from its two sides or from its left alone."""
        logits = model(letters) if self.kind == "both" else model(letters)[0][:, :-2]
        return plays.cost(logits, letters[:, 1:-1])

    @torch.no_grad()
    def bits(self, model: FillIn | LanguageModel, part: str) -> float:
        """Bits per missing letter on one part of the plays, read in rows of 500."""
        return self.cost(model, plays.pages(part)).item() / math.log(2)


def export() -> None:
    """Train the tagger that hears both ways, and write its weights."""
    torch.set_num_threads(1)
    save(WEIGHTS / "bidirectional.safetensors", PlacesRecipe().train(), dtype=torch.float16)


def tune() -> None:
    """Print what every encoder reaches on validation data with every rate of GRID."""
    for kind in RATES:
        for rate in GRID:
            one = PlacesRecipe(kind, TUNED_ON[0], rate=rate)
            print(kind, rate, one.measure(one.train(), "validation"), flush=True)
    for kind in GAP_RATES:
        for rate in GAP_GRID:
            one = GapRecipe(kind, TUNED_ON[0], 300, rate)
            print(kind, rate, f"{one.bits(one.train(), 'validation'):.3f} bits", flush=True)
