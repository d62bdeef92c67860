"""The judge of the writers: a network that reads words from pen steps, trained on true strokes alone.

Convolutions along the steps of the pen say at each step whether a letter ends there, and which.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from attend.core.expect import checked, recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.recipes import WEIGHTS
from attend.tasks import strokes
from attend.tasks.strokes import END, Strokes
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/window_reader.safetensors",)
FILE = WEIGHTS / "window_reader.safetensors"
LONGEST = 12


class Reader(nn.Module):
    """Pen steps in, at each the logits of the letter that ends there out; END stands for "no letter ends here"."""

    def __init__(self, width: int = 40):
        super().__init__()
        layers, last = [], 3
        for dilation in (1, 1, 2, 4, 8):
            layers += [nn.Conv1d(last, width, 5, padding=2 * dilation, dilation=dilation), nn.ReLU()]
            last = width
        self.layers = nn.Sequential(*layers, nn.Conv1d(width, len(strokes.ALPHABET), 1))

    def forward(self, pen: Tensor) -> Tensor:
        """Logits (B, T, 27). A step sees 34 others on either side."""
        return self.layers(pen.transpose(1, 2)).transpose(1, 2)


def batches(seed: int, batch: int) -> Iterator[Strokes]:
    """Words of three to twelve letters, similar lengths together."""
    lexicon, random = strokes.lexicon("train", longest=LONGEST), np.random.default_rng(seed)
    while True:
        drawn = sorted((lexicon[n] for n in random.choice(len(lexicon), 4 * batch, replace=False)), key=len)
        quarter = int(random.integers(4)) * batch
        yield strokes.draw(drawn[quarter : quarter + batch], int(random.integers(2**31)))


def loss(model: nn.Module, batch: Strokes) -> Tensor:
    """Cross-entropy of the letter that ends, or of none, in nats a pen step."""
    return F.cross_entropy(model(batch.pen)[batch.mask], batch.ends[batch.mask])


@recipe
class WindowReaderRecipe:
    """The reader of joined-up words."""

    seed: Seed = 100
    steps: Positive = 1_000
    rate: PositiveFloat = 4e-3
    batch: Positive = 32

    def train(self, callbacks=()) -> tuple[Reader, History]:
        """Train from the start."""
        torch.manual_seed(self.seed)
        model = Reader()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        history = fit(
            model,
            loss,
            batches(self.seed, self.batch),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label="reader of strokes",
        )
        return model.eval().requires_grad_(False), history


@torch.no_grad()
def read(model: Reader, pens: Sequence[Tensor]) -> list[str]:
    """The word that each row of pen steps (T, 3) is read as.

    Where one letter flows into the next, its end may be here or a step on. So a step counts with 0.8 of its two
    neighbours, and a letter is read where "some letter ends" then has a peak of at least one half.
    """
    probs = model(pad_sequence(list(pens), batch_first=True)).softmax(2)
    probs[..., END] = 0
    probs = F.pad(probs.transpose(1, 2), (1, 1))
    near = probs[..., 1:-1] + 0.8 * (probs[..., :-2] + probs[..., 2:])  # (B, 27, T)
    some = near.sum(1)
    peak = (some >= 0.5) & (some == F.max_pool1d(some, 5, stride=1, padding=2))
    rows = zip(near.argmax(1), peak, pens, strict=True)
    return ["".join(strokes.ALPHABET[n] for n in best[: len(pen)][at[: len(pen)]]) for best, at, pen in rows]


@checked
def distance(one: str, other: str) -> int:
    """How many letters must be changed, put in or left out to make one word of the other."""
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        above, row[0] = row[0], n
        for m, wanted in enumerate(other, 1):
            above, row[m] = row[m], min(row[m] + 1, row[m - 1] + 1, above + (letter != wanted))
    return row[-1]


def legible(model: Reader, words: Sequence[str], pens: Sequence[Tensor]) -> float:
    """One minus mistakes over letters, all words together and never below 0: the share of letters that can be read."""
    mistakes = sum(distance(found, word) for found, word in zip(read(model, pens), words, strict=True))
    return max(0.0, 1 - mistakes / sum(map(len, words)))


def trained() -> Reader:
    """The reader that judges on the page, from the weights of the package."""
    return load(FILE, Reader()).eval().requires_grad_(False)


def export() -> None:
    """Train the reader and keep its weights."""
    save(FILE, WindowReaderRecipe().train()[0], dtype=torch.float16)
