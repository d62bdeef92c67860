"""LSTMs as they start and as they learn: recall amid distractors from eight starts, and letters of the plays."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.gru import time_scales
from attend.gating.lstm import LSTM, LanguageModel, chrono_
from attend.memory.elman import RNN
from attend.recipes.many_to_one import ManyToOne
from attend.tasks import distractors, plays
from attend.train.characters import bits, train_reading_on
from attend.train.fit import fit

Start = Literal["rnn", "rnn_orthogonal", "default", "bias_1", "bias_3", "bias_3_both", "chrono_forget", "chrono"]
STARTS: tuple[str, ...] = get_args(Start)
"""The vanilla RNN as torch draws it, and with an orthogonal matrix; the LSTM as torch draws it, with a forget bias of

1 or 3, with 3 and an input bias of -3, with chrono initialisation of the forget gate alone, and of both gates."""

PACE: dict[str, tuple[float, float]] = {
    "rnn": (1e-2, 0.1),
    "rnn_orthogonal": (1e-2, 1.0),
    "default": (3e-3, 0.1),
    "bias_1": (3e-3, 0.1),
    "bias_3": (3e-3, 1.0),
    "bias_3_both": (1e-2, 1.0),
    "chrono_forget": (3e-3, 1.0),
    "chrono": (1e-2, 1.0),
}
"""Adam's rate and the norm to which gradients are clipped, by start.

The best of the six in GRID at lag 100 on the seeds of TUNED_ON (`tune`); of equals the page's own.
"""
GRID = [(rate, clip) for rate in (3e-3, 1e-2, 3e-2) for clip in (1.0, 0.1)]
TUNED_ON = (100, 101)


@checked
def build(start: Start, longest: PositiveFloat, seed: NonNegative) -> nn.Module:
    """The recurrent layer at its start: 16 cells of an LSTM or 35 units of an RNN, about 1,700 weights each."""
    torch.manual_seed(seed)
    if start == "rnn":
        return nn.RNN(8, 35, batch_first=True)
    if start == "rnn_orthogonal":
        return RNN(8, 35)
    if start == "default":
        return nn.LSTM(8, 16, batch_first=True)
    if start.startswith("bias"):
        lstm = LSTM(8, 16, forget_bias=float(start[5]))
        if start.endswith("both"):
            lstm.from_input.bias.data[:16] = -float(start[5])
        return lstm
    lstm = chrono_(LSTM(8, 16), longest)
    if start == "chrono_forget":
        lstm.from_input.bias.data[:16] = 0
    return lstm


@torch.no_grad()
def evenly_(lstm: LSTM, longest: float) -> LSTM:
    """Chrono initialisation as the recipes of other pages have it: time scales even in their logarithm, not drawn."""
    H = lstm.hidden_size
    bias = torch.log(time_scales(H, longest) - 1)
    lstm.from_input.bias[:H] = -bias
    lstm.from_input.bias[H : 2 * H] = bias
    return lstm


@recipe
class RecallRecipe:
    """A key recalled over `lag` distractors from one of STARTS; chrono draws time scales of up to twice the lag."""

    start: Start = "chrono"
    lag: Positive = 100
    seed: NonNegative = 0
    steps: Positive = 500
    pace: tuple[PositiveFloat, PositiveFloat] | None = None

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless sequences and keys, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield distractors.sample(32, self.lag, generator)

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        rate, clip = self.pace or PACE[self.start]
        model = fast(ManyToOne(build(self.start, 2.0 * self.lag, self.seed), 4))
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=clip,
            callbacks=callbacks,
            label=f"{self.start}, lag {self.lag}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def accuracy(self, model: ManyToOne) -> float:
        """The share of right answers on 1,000 new sequences."""
        x, key = distractors.sample(1_000, self.lag, torch.Generator().manual_seed(2_000 + self.seed))
        return (model(x).argmax(dim=1) == key).float().mean().item()


@recipe
class TextRecipe:
    """The next character of the plays: an LSTM of 128 cells, or a vanilla RNN of 268 units with as many weights."""

    kind: Literal["lstm", "rnn"] = "lstm"
    seed: NonNegative = 0
    steps: Positive = 1_000
    rate: PositiveFloat | None = None

    def build(self) -> LanguageModel:
        """The model before training."""
        torch.manual_seed(self.seed)
        V = len(plays.ALPHABET)
        return LanguageModel(LSTM(V, 128) if self.kind == "lstm" else RNN(V, 268))

    def train(self) -> LanguageModel:
        """Train from the start, 32 readers of 64 characters a step, the state handed on and detached."""
        model, rate = fast(self.build()), self.rate or {"lstm": 1e-2, "rnn": 5e-3}[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        train_reading_on(model, optimiser, steps=self.steps, label=f"plays, {self.kind}")
        return model


def tune() -> None:
    """Print how every start does at lag 100 with every setting of GRID, and both text models with three rates."""
    for start in STARTS:
        for pace in GRID:
            recipes = [RecallRecipe(start, 100, seed, pace=pace) for seed in TUNED_ON]
            found = [one.accuracy(one.train()) for one in recipes]
            print(f"{start:16} {pace}: {sum(found) / len(found):.3f}")
    for kind in ("lstm", "rnn"):
        for rate in (2e-3, 5e-3, 1e-2):
            one = TextRecipe(kind, TUNED_ON[0], 300, rate)
            print(f"text, {kind} {rate}: {bits(one.train(), 'validation'):.3f} bits")
