"""A GRU, the GRU with parts taken away, and its rivals: adding marked numbers, keeping a symbol, reading plays."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from attend.core.expect import checked, recipe
from attend.core.types import AtLeast2, NonNegative, Plural, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.gru import GRU, chrono_, time_scales
from attend.gating.lstm import LSTM, LanguageModel
from attend.gating.parallel import LinearRecurrence, MinGRU
from attend.memory.elman import RNN
from attend.recipes.lstm import evenly_
from attend.recipes.many_to_one import ManyToOne
from attend.tasks import adding, latch, plays
from attend.train.characters import bits, train_reading_on
from attend.train.fit import fit

Layer = Literal[
    "rnn",
    "rnn_orthogonal",
    "lstm",
    "gru_default",
    "gru",
    "no_reset",
    "no_update",
    "input_gates",
    "constant_gates",
    "min_gru",
    "linear",
]
LAYERS: tuple[str, ...] = get_args(Layer)
"""Vanilla RNNs, as torch draws them and with an orthogonal matrix; an LSTM; the GRU as torch draws it; with chrono

initialisation the GRU, the same with r held at 1, with z held at 0, with gates that read the input alone, and with
gates that read nothing; minGRU; a linear recurrence."""

RATES: dict[str, dict[str, float]] = {
    "adding": dict.fromkeys(LAYERS, 3e-2) | dict.fromkeys(("rnn", "rnn_orthogonal"), 3e-3),
    "latch": {"rnn_orthogonal": 1e-2, "gru_default": 1e-2, "gru": 1e-2},
    "text": {"gru": 3e-2, "no_reset": 3e-2, "no_update": 3e-2, "min_gru": 3e-2},
}
"""Adam's learning rate by task and layer: the best of GRID on the seed of TUNED_ON (`tune`)."""
GRID = (3e-3, 1e-2, 3e-2)
TUNED_ON = (100,)


def hold_(gru: GRU, gate: Literal["reset", "update"], *, at: float | None = None, reads: str = "") -> GRU:
    """Take a gate's weights away, in place and for good: those of the input but for "x" in `reads`, all of the hidden.

    `at` holds the gate at 0 or 1. What is held gets no gradient. Returns the layer.
    """
    H = gru.hidden_size
    rows = slice(0, H) if gate == "reset" else slice(H, 2 * H)
    held = [gru.from_hidden.weight] + ([] if "x" in reads else [gru.from_input.weight])
    with torch.no_grad():
        for weight in held:
            weight[rows] = 0
        if at is not None:
            gru.from_input.bias[rows] = 1_000.0 if at else -1_000.0  # the sigmoid is exactly 1 or 0
            held.append(gru.from_input.bias)
    for weight in held:
        free = torch.ones_like(weight)
        free[rows] = 0
        weight.register_hook(lambda gradient, free=free: gradient * free)
    return gru


@checked
def build(layer: Layer, D: Positive, H: Positive, longest: AtLeast2, seed: NonNegative) -> nn.Module:
    """A recurrent layer at its start; `longest` is what those with time scales are told."""
    torch.manual_seed(seed)
    if layer == "rnn":
        return nn.RNN(D, H, batch_first=True)
    if layer == "rnn_orthogonal":
        return RNN(D, H)
    if layer == "lstm":
        return evenly_(LSTM(D, H), longest)
    if layer == "gru_default":
        return nn.GRU(D, H, batch_first=True)
    if layer == "linear":
        return LinearRecurrence(D, H, longest)
    if layer == "min_gru":
        model = MinGRU(D, H)
        with torch.no_grad():
            model.from_input.bias[:H] = torch.log(time_scales(H, longest) - 1)
        return model
    gru = chrono_(GRU(D, H), longest)
    if layer in ("input_gates", "constant_gates"):
        reads = "x" if layer == "input_gates" else ""
        return hold_(hold_(gru, "reset", reads=reads), "update", reads=reads)
    if layer == "no_reset":
        return hold_(gru, "reset", at=1)
    return hold_(gru, "update", at=0) if layer == "no_update" else gru


WIDTH = {"rnn": 56, "rnn_orthogonal": 56, "lstm": 27}
"""Widths with which these have as many weights as a GRU of 32, some 3,400.

With 32 units minGRU has 225 and the linear recurrence 1,217."""


@recipe
class AddingRecipe:
    """The sum of two marked numbers among T. Layers with time scales are told T as the longest."""

    layer: Layer = "gru"
    seed: NonNegative = 0
    steps: Positive = 250
    T: Plural = 100
    rate: PositiveFloat | None = None

    def build(self) -> ManyToOne:
        """The model before training."""
        layer = build(self.layer, 2, WIDTH.get(self.layer, 32), float(self.T), self.seed)
        return fast(ManyToOne(layer, 1))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless sequences and sums, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield adding.sample(32, self.T, generator)

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            lambda model, batch: mse_loss(model(batch[0])[:, 0], batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATES["adding"][self.layer]),
            clip=1.0,
            callbacks=callbacks,
            label=f"adding, {self.layer}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def explained(self, model: nn.Module) -> float:
        """R² on 1,000 new sequences."""
        x, sums = adding.sample(1_000, self.T, torch.Generator().manual_seed(2_000 + self.seed))
        return adding.explained(model(x)[:, 0], sums)


@recipe
class LatchRecipe:
    """One of four symbols, kept over `lag` empty steps by 16 units (28 of a vanilla RNN's, which have as many weights).

    Layers with time scales are told twice the lag as the longest.
    """

    layer: Layer = "gru"
    lag: Positive = 100
    seed: NonNegative = 0
    steps: Positive = 200
    rate: PositiveFloat | None = None

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        H = 28 if self.layer.startswith("rnn") else 16
        model = fast(ManyToOne(build(self.layer, 4, H, 2.0 * self.lag, self.seed), 4))
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            iter(lambda: latch.sample(32, self.lag, generator), None),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATES["latch"][self.layer]),
            clip=1.0,
            callbacks=callbacks,
            label=f"latch, {self.layer}, lag {self.lag}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def accuracy(self, model: nn.Module) -> float:
        """The share of right answers on 400 new sequences."""
        x, symbols = latch.sample(400, self.lag, torch.Generator().manual_seed(2_000 + self.seed))
        return (model(x).argmax(dim=1) == symbols).float().mean().item()


@recipe
class TextRecipe:
    """The next character of the plays, by 64 units; minGRU has 150, and as many weights as the GRU, to within 1 %.

    Where a gate is held, its weights are held with it, a third of the layer's. Of 2, 8 and 64 steps as the longest time
    scale, 8 did best on the seed of TUNED_ON.
    """

    layer: Layer = "gru"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None
    longest: AtLeast2 = 8.0

    def train(self) -> LanguageModel:
        """Train from the start, 32 rows of 64 characters a step, the state handed on and detached."""
        V, H = len(plays.ALPHABET), {"min_gru": 150}.get(self.layer, 64)
        model = fast(LanguageModel(build(self.layer, V, H, self.longest, self.seed)))
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATES["text"][self.layer])
        train_reading_on(model, optimiser, steps=self.steps, label=f"plays, {self.layer}")
        return model


TEXT = ("gru", "no_reset", "no_update", "min_gru")
LATCH = ("rnn_orthogonal", "gru_default", "gru")


def tune(*chosen: str) -> None:
    """Print how every layer does with every learning rate of GRID on a seed that does not judge."""
    seed = TUNED_ON[0]
    for rate in GRID:
        for layer in LAYERS if "adding" in chosen else ():
            one = AddingRecipe(layer, seed, rate=rate)
            print(f"adding {layer:16} {rate}: {one.explained(one.train()):.3f}", flush=True)
        for layer in LATCH if "latch" in chosen else ():
            one = LatchRecipe(layer, 100, seed, rate=rate)
            print(f"latch {layer:16} {rate}: {one.accuracy(one.train()):.3f}", flush=True)
        for layer in TEXT if "text" in chosen else ():
            one = TextRecipe(layer, seed, rate=rate)
            print(f"text {layer:16} {rate}: {bits(one.train(), 'validation'):.3f} bits", flush=True)
