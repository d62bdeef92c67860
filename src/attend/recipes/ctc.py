"""Recognisers of spoken digits: CTC and an attention decoder, on few and on many recordings, in two orders."""

from functools import cache
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.soft.ctc import CTCLoss, Recogniser, best_path, prefix_beam_search
from attend.tasks import speech
from attend.tasks.speech import Spoken
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/ctc.*",)
Kind = Literal["ctc", "attention"]
HIDDEN, BATCH, STEPS = 64, 16, 1_000
"""Width of the states, recordings a step, and steps."""
NOISE, SHIFT = 0.3, 1.5
"""What makes more voices of those of the training: noise on each frame, and bands moved up or down by so much."""
GRID = (2.5e-3, 5e-3, 1e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = {"ctc": 5e-3, "attention": 5e-3}
"""Adam's largest rate for each kind: the best of GRID on validation speakers with the seeds of TUNED_ON (`tune`)."""
MOST = 900
"""All recordings of the training part."""


class Listener(Recogniser):
    """The same encoder, read by Bahdanau's decoder: content attention, and one digit after the other until the end."""

    def __init__(self, bands: int, vocab_size: int, hidden_size: int):
        super().__init__(bands, vocab_size, hidden_size)
        H = hidden_size
        self.embed = nn.Embedding(vocab_size, H // 2)
        self.query_proj, self.key_proj = nn.Linear(H, H), nn.Linear(H, H, bias=False)
        self.score = nn.Linear(H, 1, bias=False)
        self.cell = nn.GRUCell(H + H // 2, H)
        self.readout = nn.Linear(2 * H, vocab_size)

    def step(self, token: Tensor, state: Tensor, h: Tensor, keys: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Attend with the last state, take in the context and the last token: logits (B, V), and the new state."""
        scores = self.score(torch.tanh(self.query_proj(state)[:, None] + keys))[..., 0]  # (B, S)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=1)
        context = (weights[:, None] @ h)[:, 0]
        state = self.cell(torch.cat([self.embed(token), context], dim=1), state)
        return self.readout(torch.cat([state, context], dim=1)), state

    def start(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor, Tensor]]:
        """The first token, the first state, and what is read at each step."""
        h, mask = self.encode(x, mask)
        return mask.new_zeros(len(h), dtype=torch.long), torch.zeros_like(h[:, 0]), (h, self.key_proj(h), mask)

    def forward(self, x: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        """Logits (B, T, V) of each token of the target, given the true ones before it."""
        token, state, memory = self.start(x, mask)
        logits = []
        for following in target.unbind(1):
            one, state = self.step(token, state, *memory)
            logits.append(one)
            token = following
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def write(self, x: Tensor, mask: Tensor, most: int) -> Tensor:
        """The likeliest token at each step, (B, most)."""
        token, state, memory = self.start(x, mask)
        written = []
        for _ in range(most):
            logits, state = self.step(token, state, *memory)
            token = logits.argmax(1)
            written.append(token)
        return torch.stack(written, dim=1)


@recipe
class CTCRecipe:
    """One kind of recogniser on the first `most` recordings, that writes digits as spoken or, `backwards`, reversed."""

    kind: Kind = "ctc"
    seed: Seed = 0
    most: Positive = MOST
    backwards: bool = False
    steps: Positive = STEPS
    rate: PositiveFloat | None = None

    def build(self) -> Recogniser:
        """The model at its start."""
        torch.manual_seed(self.seed)
        return (Recogniser if self.kind == "ctc" else Listener)(speech.BANDS, speech.TOKENS, HIDDEN)

    def train(self, callbacks=()) -> tuple[Recogniser, History]:
        """Train from the start; half a minute of one processor."""
        model, generator = self.build(), torch.Generator().manual_seed(1_000 + self.seed)
        stream = speech.batches(ordered(speech.load("train", self.most), self.backwards), BATCH, generator)
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.kind])
        criterion = fast(CTCLoss())

        def loss(model: Recogniser, batch: Spoken) -> Tensor:
            x = varied(batch.x, generator)
            if self.kind == "ctc":
                return criterion(*model(x, batch.mask), batch.target, batch.asked)
            target, asked = with_end(batch)
            return F.cross_entropy(model(x, batch.mask, target)[asked], target[asked])

        history = fit(
            model,
            loss,
            stream,
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"listening, {self.kind}",
        )
        return model, history

    def load(self) -> Recogniser:
        """The trained recogniser of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "ctc.safetensors", CTCRecipe().build()).eval()


def varied(x: Tensor, generator: torch.Generator) -> Tensor:
    """Recordings (B, T, N) as other voices would make them: the bands of each moved up or down, and noise on all."""
    B, T, N = x.shape
    by = SHIFT * (2 * torch.rand(B, 1, generator=generator) - 1) * torch.linspace(0.3, 1, N)
    place = (torch.arange(N) + by).clamp(0, N - 1)  # (B, N)
    below = place.floor().long()
    low, high = (x.gather(2, at[:, None].expand(B, T, N)) for at in (below, (below + 1).clamp(max=N - 1)))
    return torch.lerp(low, high, (place - below)[:, None]) + NOISE * torch.randn(x.shape, generator=generator)


def ordered(spoken: Spoken, backwards: bool) -> Spoken:
    """The same recordings, and their digits in the order that is asked for."""
    if not backwards:
        return spoken
    lengths, place = spoken.asked.sum(1, keepdim=True), torch.arange(spoken.target.shape[1])
    turned = spoken.target.gather(1, (lengths - 1 - place).clamp(min=0))
    return spoken._replace(target=turned * spoken.asked)


def with_end(spoken: Spoken) -> tuple[Tensor, Tensor]:
    """Targets with an end token (0), and their mask: one column more."""
    return F.pad(spoken.target, (0, 1)), F.pad(spoken.asked, (1, 0), value=True)


@torch.no_grad()
def written(model: Recogniser, spoken: Spoken) -> list[str]:
    """What the model writes of each recording: its best path, or its decoder's tokens up to the end."""
    if isinstance(model, Listener):
        rows = model.write(spoken.x, spoken.mask, spoken.target.shape[1] + 5)
        return [speech.spell(row[: int((row == speech.END).cumsum(0).eq(0).sum())]) for row in rows]
    log_probs, mask = model(spoken.x, spoken.mask)
    paths = (best_path(row[there]) for row, there in zip(log_probs, mask, strict=True))
    return [speech.spell(torch.tensor(path, dtype=torch.long)) for path in paths]


@torch.no_grad()
def searched(model: Recogniser, spoken: Spoken, width: int = 8) -> tuple[list[str], list[str]]:
    """What prefix beam search finds in each recording, and what was said."""
    log_probs, mask = model(spoken.x, spoken.mask)
    found = (prefix_beam_search(row[there], width) for row, there in zip(log_probs, mask, strict=True))
    return [speech.spell(torch.tensor(labels, dtype=torch.long)) for labels in found], speech.said(spoken)


def error(model: Recogniser, spoken: Spoken) -> float:
    """The label error on these recordings."""
    return speech.label_error(written(model, spoken), speech.said(spoken))


@cache
def long_recordings(digits: int = 20, count: int = 40) -> Spoken:
    """Recordings of test speakers, joined to `digits` digits each."""
    return speech.joined("test", digits, count, torch.Generator().manual_seed(7))


def tune() -> None:
    """Print the label error on the validation speakers for each kind and rate."""
    for kind in RATE:
        for rate in GRID:
            models = [CTCRecipe(kind, seed, rate=rate).train()[0] for seed in TUNED_ON]
            errors = [error(model, speech.load("validation")) for model in models]
            print(kind, rate, [f"{one:.3f}" for one in errors], f"{sum(errors) / len(errors):.4f}", flush=True)


def export() -> None:
    """Train the recogniser of the pages and write its weights; about half a minute."""
    model, _ = CTCRecipe().train()
    save(WEIGHTS / "ctc.safetensors", model, dtype=torch.float16)


if __name__ == "__main__":
    tune()
