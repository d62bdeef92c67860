"""Models of dialogues, with two levels and with one, trained to answer about a planned journey."""

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.gating.gru import chrono_
from attend.gating.hierarchical import HRED, FlatEncoderDecoder, flatten
from attend.gating.lstm import LSTM
from attend.gating.lstm import chrono_ as lstm_chrono_
from attend.tasks import dialogue
from attend.train.fit import fit

Kind = Literal["hred", "flat", "lstm", "flat_chrono", "lstm_chrono", "pooling"]
KINDS: tuple[str, ...] = get_args(Kind)
"""Two levels of GRUs; one row of words through a GRU as it starts, an LSTM with a forget bias of 1, a GRU and an LSTM

with chrono initialisation, and a GRU with a maximum over all its states."""

LENGTH, TURNS, BACK = 12, 3, 3
"""The dialogues of the training: words of a turn, turns before the question, and how many turns back it leads."""
STEPS = 600
GRID = (1.5e-2, 3e-2, 6e-2)
TUNED_ON = (100, 101)
RATE: dict[str, float] = {
    "hred": 6e-2,
    "flat": 3e-2,
    "lstm": 3e-2,
    "flat_chrono": 3e-2,
    "lstm_chrono": 1.5e-2,
    "pooling": 3e-2,
}
"""Adam's rate for each model: the one of GRID with most right answers on the seeds of TUNED_ON (`tune`), of equals that

with the smaller loss over all steps. The LSTM with a forget bias of 1 guessed with every rate, the one with
chrono initialisation with half of the smallest, too.
"""


class FlatWithPooling(FlatEncoderDecoder):
    """The row of words, and a skip connection from every one: the largest value that each unit ever had."""

    def encode(self, words: Tensor, mask: Tensor) -> Tensor:
        """The context vector: the maximum of the hidden states over all words."""
        row, real = flatten(words, mask)
        outputs, _ = self.encoder(self.embed(row), mask=real)  # (B, L, C)
        return outputs.masked_fill(~real.unsqueeze(2), -1.0).amax(dim=1)


def build(kind: Kind, length: int = LENGTH, turns: int = TURNS) -> HRED:
    """A model before training, about 21,000 weights each.

    Chrono initialisation is told twice the words of a dialogue.
    """
    V, D, H = len(dialogue.WORDS), 16, 32
    longest = 2.0 * (turns + 1) * length
    if kind == "hred":
        return HRED(V, D, H, H)
    if kind.startswith("lstm"):
        layer = LSTM(D, 41)
        if kind == "lstm_chrono":
            lstm_chrono_(layer, longest)
        return FlatEncoderDecoder(V, D, H, 41, layer=layer)
    model = (FlatWithPooling if kind == "pooling" else FlatEncoderDecoder)(V, D, H, 46)
    if kind == "flat_chrono":
        chrono_(model.encoder, longest)
    return model


@recipe
class DialogueRecipe:
    """One model, trained to answer about a planned journey."""

    kind: Kind = "hred"
    seed: Seed = 0
    steps: Positive = STEPS
    rate: PositiveFloat | None = None
    back: Positive | None = BACK
    batch: Positive = 32

    def build(self) -> HRED:
        """The model before it has read a word."""
        torch.manual_seed(self.seed)
        return fast(build(self.kind))

    def train(self, callbacks=()) -> HRED:
        """Train from the start, on new dialogues at every step, seeded apart from those that judge."""
        model, generator = self.build(), torch.Generator().manual_seed(1_000 + self.seed)

        def loss(model, batch):
            logits = model(batch.words, batch.mask, batch.answer)  # (B, 3, V)
            return cross_entropy(logits.flatten(0, 1), batch.answer.flatten())

        fit(
            model,
            loss,
            iter(lambda: dialogue.sample(self.batch, LENGTH, TURNS, self.back, generator), None),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.kind]),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.kind}, seed {self.seed}",
        )
        return model

    def accuracy(self, model: HRED, back: int, length: int = LENGTH, turns: int = TURNS, count: int = 500) -> float:
        """The share of answers without a mistake on new dialogues."""
        generator = torch.Generator().manual_seed(2_000 + self.seed)
        new = dialogue.sample(count, length, turns, back, generator)
        written = model.generate(new.words, new.mask, new.answer.shape[1])
        return (written == new.answer).all(dim=1).double().mean().item()


def tune() -> None:
    """Print right answers and the mean loss of every model with every rate of GRID, on the seeds of TUNED_ON."""
    for kind in KINDS:
        for rate in GRID:
            for seed in TUNED_ON:
                losses, one = [], DialogueRecipe(kind, seed, rate=rate)
                model = one.train(callbacks=[lambda step, losses=losses: losses.append(step.loss)])
                right, loss = one.accuracy(model, BACK), sum(losses) / len(losses)
                print(f"{kind:12} {rate} {seed}: {right:.3f} right, loss {loss:.3f}", flush=True)
