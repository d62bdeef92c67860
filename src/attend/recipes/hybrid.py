"""Recognisers of spoken digits: attention by content, by the last weights, by both, and with a memory of them all."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.soft.hybrid import HybridAttention, Recogniser
from attend.tasks import speech
from attend.tasks.speech import Spoken
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

Kind = Literal["content", "location", "hybrid", "rnn"]
HIDDEN = {"content": 53, "location": 90, "hybrid": 48, "rnn": 45}
"""Hidden units of each attention, so that all have nearly as many weights."""
TUNED_ON = (100,)
RATES = (5e-3, 1e-2, 2e-2)
RATE: dict[Kind, float] = {"content": 1e-2, "location": 1e-2, "hybrid": 1e-2, "rnn": 1e-2}
"""Adam's largest rate: of RATES the one with the fewest errors on validation voices, at the lengths of training
(`tune`)."""
REACHES = (12, 15, 20, 30)
REACH = 15
"""Places on each side of the median that the window keeps: of REACHES the best for the hybrid on 50 digits, and for the
last weights alone."""


class Remembering(Recogniser):
    """The hybrid with a GRU in every place of the input: it hears the convolved weights of each step, and remembers."""

    def __init__(self, attention: HybridAttention):
        super().__init__(attention)
        C = attention.convolve.out_channels
        self.memory = nn.GRUCell(C, C)

    def forward(
        self, x: Tensor, mask: Tensor, target: Tensor | None = None, most: int = 10, reach: int | None = None
    ) -> tuple[Tensor, Tensor]:
        """As Recogniser, with the memory (B S, C) in the place of the convolved weights."""
        h, mask = self.read(x, mask)
        state, last = self.start(h)
        logits, weights, memory, attend = [], [], None, self.attention
        ended = torch.zeros(len(h), dtype=torch.bool)
        for i in range(most if target is None else target.shape[1]):
            memory = self.memory(attend.convolve(last[:, None]).mT.flatten(0, 1), memory)
            place = attend.place_proj(memory.unflatten(0, last.shape))
            scores = attend.score(
                torch.tanh(attend.query_proj(self.drop(state))[:, None] + attend.key_proj(h) + place)
            )[..., 0]
            last = scores.masked_fill(~within(last, mask, reach), -torch.inf).softmax(dim=1)
            context = (last[:, None] @ h)[:, 0]
            logits.append(self.readout(torch.tanh(self.hidden(context))))
            weights.append(last)
            token = logits[-1].argmax(1) if target is None else target[:, i]
            ended = ended | (token == speech.END)
            if target is None and ended.all():
                break
            state = self.decoder(torch.cat([context, self.embed(token)], dim=1), state)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)


def within(last: Tensor, mask: Tensor, reach: int | None) -> Tensor:
    """The places of a mask that the window of HybridAttention leaves."""
    if reach is None:
        return mask
    median = (last.cumsum(1) < 0.5).sum(1, keepdim=True)
    return mask & ((torch.arange(last.shape[1]) - median).abs() <= reach)


def build(kind: Kind, seed: int) -> Recogniser:
    """A recogniser at initialisation; all kinds have as many weights to within one in a hundred."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        attention = HybridAttention(64, 64, HIDDEN[kind], content=kind != "location", location=kind != "content")
        return Remembering(attention) if kind == "rnn" else Recogniser(attention)


def cost(model: nn.Module, batch: Spoken) -> Tensor:
    """Cross-entropy of each digit and of the END behind the last."""
    target = F.pad(batch.target, (0, 1))
    asked = F.pad(batch.asked, (1, 0), value=True)
    return F.cross_entropy(model(batch.x, batch.mask, target)[0][asked], target[asked])


@recipe
class HybridRecipe:
    """One kind of recogniser, trained on strings of 1 to 5 digits, 32 a step."""

    kind: Kind = "hybrid"
    seed: Seed = 0
    steps: Positive = 500
    rate: PositiveFloat | None = None

    def train(self) -> tuple[Recogniser, History]:
        """Train from the start, with a rate that rises and falls to zero."""
        model = build(self.kind, self.seed)
        optimiser = torch.optim.AdamW(model.parameters(), lr=self.rate or RATE[self.kind])
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)  # for dropout
            history = fit(
                model,
                cost,
                speech.strings("train", 32, torch.Generator().manual_seed(1_000 + self.seed)),
                steps=self.steps,
                optimiser=optimiser,
                schedule=one_cycle(optimiser, self.steps),
                clip=1.0,
                label=f"{self.kind}, seed {self.seed}",
            )
        return model.eval(), history


def digits(tokens: Sequence[int]) -> str:
    """What stands before the end, as text."""
    tokens = [*tokens, speech.END]
    return "".join(str(token - 1) for token in tokens[: tokens.index(speech.END)])


@torch.no_grad()
def transcribe(model: nn.Module, spoken: Spoken, reach: int | None = None) -> list[str]:
    """What a recogniser writes, with room for twice as many digits as were said."""
    most = 2 * spoken.target.shape[1] + 5
    logits, _ = model(spoken.x, spoken.mask, None, most, reach)
    return [digits(row) for row in logits.argmax(2).tolist()]


def error(model: nn.Module, spoken: Spoken, reach: int | None = None) -> float:
    """The label error: digits put in, left out and exchanged, divided by the digits said."""
    return speech.label_error(transcribe(model, spoken, reach), speech.said(spoken))


def tune(kinds: Sequence[Kind] = tuple(HIDDEN), rates: Sequence[float] = RATES) -> None:
    """Print the label error on validation voices, at the lengths of training and for windows on 50 digits."""
    for kind in kinds:
        for rate in rates:
            for seed in TUNED_ON:
                print(f"{kind:8} {rate:g}: {validated(HybridRecipe(kind, seed, rate=rate).train()[0])}", flush=True)


def validated(model: nn.Module) -> str:
    """The label errors on validation voices: at the lengths of training, and on 50 digits for each window."""
    short = speech.load("validation"), speech.joined("validation", 5, 60, torch.Generator().manual_seed(0))
    long = speech.joined("validation", 50, 12, torch.Generator().manual_seed(0))
    found = " ".join(f"{error(model, one):.3f}" for one in short)
    reaches = " ".join(f"{reach}: {error(model, long, reach):.3f}" for reach in (None, *REACHES))
    return f"{found}; 50 digits {reaches}"
