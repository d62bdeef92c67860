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
from attend.tasks import dialogue
from attend.train.fit import fit

Kind = Literal["hred", "hred_chrono", "flat", "lstm", "flat_chrono", "pooling"]
KINDS: tuple[str, ...] = get_args(Kind)
"""Two levels of GRUs, as they start and with chrono initialisation; one row of words through a GRU as it starts, an

LSTM with a forget bias of 1, a GRU with chrono initialisation, and a GRU with a maximum over all its states."""

LENGTH, TURNS, BACK = 12, 3, 3
"""The dialogues of the training: words of a turn, turns before the question, and how many turns back it leads."""
STEPS = 600
GRID = (7.5e-3, 1.5e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = dict.fromkeys(KINDS, 1.5e-2)
"""Adam's rate for each model: the better of GRID on the seed of TUNED_ON (`tune`), of equals the larger.

With either the LSTM guessed; three were always right with the larger, and not asked again.
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

    Chrono initialisation is told twice the longest stretch of the training: on two levels the words of a turn and the
    turns of a dialogue, in one row all its words.
    """
    V, D, H = len(dialogue.WORDS), 16, 32
    words, turns = 2.0 * length, 2.0 * (turns + 1)
    if kind.startswith("hred"):
        model = HRED(V, D, H, H)
        if kind == "hred_chrono":
            chrono_(model.encoder, words)
            chrono_(model.context_rnn, turns)
        return model
    if kind == "lstm":
        return FlatEncoderDecoder(V, D, H, 41, layer=LSTM(D, 41))
    model = (FlatWithPooling if kind == "pooling" else FlatEncoderDecoder)(V, D, H, 46)
    if kind == "flat_chrono":
        chrono_(model.encoder, turns * length)
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
    """Print how every model does with every rate of GRID after 400 steps."""
    for kind in KINDS:
        for rate in GRID:
            recipes = [DialogueRecipe(kind, seed, steps=400, rate=rate) for seed in TUNED_ON]
            found = [one.accuracy(one.train(), 3) for one in recipes]
            print(f"{kind:12} {rate}: {found}", flush=True)
