"""Writers of words in joined-up handwriting: with a window over the letters, and with one vector for the whole word."""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from attend.core.expect import checked, recipe
from attend.core.types import Finite, NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.soft.window import Handwriter, draw_step, mixture, nll
from attend.tasks import strokes
from attend.tasks.strokes import END, Strokes
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

V = len(strokes.ALPHABET)
Kind = Literal["window", "fixed"]
GRID = (5e-3, 1e-2, 2e-2, 4e-2, 8e-2, 0.16)
"""Adam's largest rates, tried for both kinds with half of the steps, the seed of TUNED_ON and validation words."""
RATE: dict[str, float] = {"window": 8e-2, "fixed": 8e-2}
STEPS: dict[str, int] = {"window": 400, "fixed": 800}
"""Steps of training. Two of "fixed", which has no loop over steps in Python, take as long as one of "window"."""
TUNED_ON = (100,)
LONGEST = 6
"""Letters of the longest words of a training."""


class FixedWriter(nn.Module):
    """The baseline: a GRU reads the word, and its last state goes into every step of the LSTM that moves the pen."""

    def __init__(self, hidden_size: int = 96, context_size: int = 64, M: int = 5):
        super().__init__()
        self.encoder = nn.GRU(V, context_size, batch_first=True)
        self.lstm = nn.LSTM(3 + context_size, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size + context_size, 6 * M + 1)

    def context(self, text: Tensor, letters: Tensor) -> Tensor:
        """The last state of the encoder (B, C)."""
        rows = pack_padded_sequence(
            F.one_hot(text, V).to(self.output.weight.dtype), letters.sum(1), batch_first=True, enforce_sorted=False
        )
        return self.encoder(rows)[1][0]

    def forward(self, pen: Tensor, text: Tensor, letters: Tensor) -> tuple[Tensor]:
        """Teacher forcing, as `Handwriter`; there is no window to return."""
        begin = pen.new_tensor([0.0, 0.0, 1.0]).expand(len(pen), 1, 3)
        v = self.context(text, letters)[:, None].expand(-1, pen.shape[1], -1)
        h, _ = self.lstm(torch.cat([torch.cat([begin, pen[:, :-1]], dim=1), v], dim=2))
        return (self.output(torch.cat([h, v], dim=2)),)

    @torch.no_grad()
    def write(self, text: Tensor, bias: float = 0.0, most: int = 600, generator: torch.Generator | None = None):
        """Write one text until the pen rests: two lifted steps in a row, the second almost on the spot."""
        v = self.context(text, torch.ones_like(text, dtype=torch.bool))
        x, state, rows = v.new_tensor([[0.0, 0.0, 1.0]]), None, []
        for _ in range(most):
            before = x
            h, state = self.lstm(torch.cat([x, v], dim=1)[:, None], state)
            x = draw_step(mixture(self.output(torch.cat([h[:, 0], v], dim=1)), bias), generator)
            rows.append(x[0])
            if before[0, 2] == x[0, 2] == 1 and x[0, :2].norm() < 0.35:
                break
        return (torch.stack(rows),)


def build(kind: Kind, seed: int, offset: float = -2.5) -> Handwriter | FixedWriter:
    """A writer at its start."""
    torch.manual_seed(seed)
    return Handwriter(V, offset=offset) if kind == "window" else FixedWriter()


def batches(seed: int, batch: int, part: str = "train", hand: str = "script") -> Iterator[Strokes]:
    """Words of similar length: of four times as many, sorted by length, one quarter."""
    lexicon, random = strokes.lexicon(part, longest=LONGEST), np.random.default_rng(seed)
    while True:
        drawn = sorted((lexicon[n] for n in random.choice(len(lexicon), 4 * batch, replace=False)), key=len)
        quarter = int(random.integers(4)) * batch
        yield strokes.draw(drawn[quarter : quarter + batch], int(random.integers(2**31)), hand)


def loss(model: nn.Module, batch: Strokes) -> Tensor:
    """Nats a pen step."""
    return nll(model(batch.pen, batch.text, batch.letters)[0], batch.pen, batch.mask)


@recipe
class WindowRecipe:
    """A writer of joined-up words of three to six letters."""

    kind: Kind = "window"
    seed: Seed = 0
    steps: Positive | None = None
    rate: PositiveFloat | None = None
    batch: Positive = 32
    offset: Finite = -2.5

    def train(self, callbacks=()) -> tuple[Handwriter | FixedWriter, History]:
        """Train from the start; "window" takes 45 seconds of one processor."""
        model, steps = build(self.kind, self.seed, self.offset), self.steps or STEPS[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.kind])
        history = fit(
            model,
            loss,
            batches(self.seed, self.batch),
            steps=steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"writer, {self.kind}, seed {self.seed}",
        )
        return model.eval().requires_grad_(False), history


@torch.no_grad()
def nats(model: nn.Module, part: str) -> float:
    """Nats a pen step on every fourth word of a part, each written once."""
    words = sorted(strokes.lexicon(part, longest=LONGEST)[::4], key=len)
    drawn = [strokes.draw(words[n : n + 32], n) for n in range(0, len(words), 32)]
    sizes = [int(batch.mask.sum()) for batch in drawn]
    return sum(loss(model, batch).item() * size for batch, size in zip(drawn, sizes, strict=True)) / sum(sizes)


@checked
def written(writer: Callable, words: tuple[str, ...], bias: NonNegativeFloat, seed: Seed) -> tuple[Tensor, ...]:
    """What a writer makes of each word: pen steps (T, 3). Nobody writes more than 40 steps a letter."""
    generator = torch.Generator().manual_seed(seed)
    texts = [torch.tensor([[*strokes.words.encode(word).tolist(), END]]) for word in words]
    return tuple(writer(text, bias, 40 * text.shape[1], generator)[0] for text in texts)


def tune() -> None:
    """Print nats a step on validation words for each kind and each rate of GRID, after half of the steps."""
    for kind in ("fixed", "window"):
        for rate in GRID:
            recipes = [WindowRecipe(kind, seed, STEPS[kind] // 2, rate) for seed in TUNED_ON]
            found = [nats(one.train()[0], "validation") for one in recipes]
            print(f"{kind} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
