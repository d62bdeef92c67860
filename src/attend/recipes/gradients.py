"""Three things that gradients through time decide: an echo under truncation, recall with and without clipping, plays.

For each side of a comparison as many settings were tried, on the seeds of TUNED_ON alone (`tune`).
"""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM, LanguageModel
from attend.memory.elman import RNN
from attend.recipes import WEIGHTS
from attend.tasks import plays, recall
from attend.train.characters import CONTEXT, train_on_windows
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.transformers.tiny_transformer import TinyTransformer

TUNED_ON = (100, 101)

LAG = 15
"""How many steps old the input is that the echo must repeat."""
WINDOWS = (5, 10, 20, 30)
ECHO_GRID = (1e-4, 1e-3, 3e-3, 1e-2)
ECHO_RATE = {5: 1e-4, 10: 1e-4, 20: 1e-2, 30: 1e-2}
FROZEN_RATE = 1e-2
"""Adam's rate by window, and where only the head is trained: the best of ECHO_GRID."""

RATES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Learning rates of plain gradient descent on the recall task."""
LIMITS = (0.1, 0.3)
LIMIT = 0.1
"""The norm to which gradients are clipped there, the better of LIMITS."""

Kind = Literal["rnn", "gru", "lstm", "transformer"]
KINDS: tuple[str, ...] = get_args(Kind)
TEXT_GRID = (3e-3, 6e-3, 1.2e-2, 2.4e-2)
TEXT_RATE = {"rnn": 1.2e-2, "gru": 2.4e-2, "lstm": 2.4e-2, "transformer": 1.2e-2}
"""The best of TEXT_GRID for each language model, on the validation scenes."""


class Echo(nn.Module):
    """An RNN of 32 units and, at every step, the logit that the input LAG steps ago was a one."""

    def __init__(self):
        super().__init__()
        self.rnn, self.head = RNN(1, 32), nn.Linear(32, 1)

    def forward(self, x: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        """Logits (B, T) and the state (B, 32) to read on from."""
        hidden, state = self.rnn(x, state)
        return self.head(hidden).squeeze(2), state


@recipe
class EchoRecipe:
    """32 endless streams of random bits, repeated LAG steps later, in chunks of `window` steps: 12,000 steps of each.

    The state is handed on from chunk to chunk, the gradient is not. With `frozen`, only the head is trained.
    """

    window: Positive = 20
    seed: NonNegative = 0
    steps: Positive = 12_000
    rate: PositiveFloat | None = None
    frozen: bool = False

    def train(self, callbacks=()) -> Echo:
        """Train from the start."""
        torch.manual_seed(self.seed)
        model, state = fast(Echo()), None
        model.rnn.requires_grad_(not self.frozen)
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        past = _bits(32, LAG, generator)

        def chunks() -> Iterator[tuple[Tensor, Tensor]]:
            nonlocal past
            while True:
                both = torch.cat([past, _bits(32, self.window, generator)], dim=1)
                past = both[:, -LAG:]
                yield both[:, LAG:], both[:, :-LAG]

        def loss(model: Echo, batch: tuple[Tensor, Tensor]) -> Tensor:
            nonlocal state
            logits, state = model(2 * batch[0][..., None] - 1, state)
            state = state.detach()
            return binary_cross_entropy_with_logits(logits, batch[1])

        fit(
            model,
            loss,
            chunks(),
            steps=self.steps // self.window,
            optimiser=torch.optim.Adam(
                [weight for weight in model.parameters() if weight.requires_grad],
                lr=self.rate or (FROZEN_RATE if self.frozen else ECHO_RATE[self.window]),
            ),
            clip=1.0,
            callbacks=callbacks,
            label=f"echo, window {self.window}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def accuracy(self, model: Echo) -> float:
        """The share of right bits on 100 new streams of 200 steps, the first LAG steps left out."""
        bits = _bits(100, 200, torch.Generator().manual_seed(2_000 + self.seed))
        logits, _ = model(2 * bits[..., None] - 1, None)
        return ((logits[:, LAG:] > 0) == (bits[:, :-LAG] > 0)).float().mean().item()


def _bits(batch: int, steps: int, generator: torch.Generator) -> Tensor:
    return torch.randint(0, 2, (batch, steps), generator=generator).float()


class Recall(nn.Module):
    """An RNN that starts at a radius of 1.05, and one number read off its last hidden state.

    The weights of the readout start at zero; they are divided by √H, so that the width does not change how fast they
    learn.
    """

    def __init__(self, hidden_size: int, generator: torch.Generator):
        super().__init__()
        self.rnn = RNN(1, hidden_size, radius=1.05, generator=generator)
        self.readout = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: Tensor) -> Tensor:
        """One number for each sequence (B, T, 1)."""
        return self.rnn(x)[1] @ self.readout / self.rnn.hidden_size**0.5


@recipe
class RecallRecipe:
    """A number, then `lag` zeros, then the number is asked for: gradient descent, with gradients clipped or not."""

    rate: PositiveFloat = 0.4
    clip: PositiveFloat | None = LIMIT
    seed: NonNegative = 0
    lag: Positive = 29
    steps: Positive = 400

    def train(self, callbacks=()) -> tuple[Recall, History]:
        """Train from the start; a second."""
        model = fast(Recall(16, torch.Generator().manual_seed(self.seed)))
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        history = fit(
            model,
            lambda model, batch: mse_loss(model(batch[0]), batch[1]),
            iter(lambda: recall.sample(32, self.lag, generator), None),
            steps=self.steps,
            optimiser=torch.optim.SGD(model.parameters(), lr=self.rate),
            clip=self.clip,
            callbacks=callbacks,
            label=f"recall, rate {self.rate}, clip {self.clip}, seed {self.seed}",
        )
        return model, history

    @torch.no_grad()
    def error(self, model: Recall) -> float:
        """The mean squared error on 2,000 new sequences."""
        x, number = recall.sample(2_000, self.lag, torch.Generator().manual_seed(2_000 + self.seed))
        return mse_loss(model(x), number).item()


@recipe
class TextRecipe:
    """The next character of the plays, by one of KINDS, each of about 38,000 weights: 16 windows of 64 characters."""

    kind: Kind = "rnn"
    seed: NonNegative = 0
    steps: Positive = 800
    rate: PositiveFloat | None = None

    def build(self) -> LanguageModel | TinyTransformer:
        """The model before training."""
        torch.manual_seed(self.seed)
        V = len(plays.ALPHABET)
        if self.kind == "transformer":
            return TinyTransformer(V, d_model=36, num_heads=4, num_layers=2, context=CONTEXT)
        layers = {"rnn": lambda: RNN(V, 140), "gru": lambda: GRU(V, 76), "lstm": lambda: LSTM(V, 64)}
        return LanguageModel(layers[self.kind]())

    def train(self, callbacks=()) -> LanguageModel | TinyTransformer:
        """Train from the start; ten to twenty seconds."""
        model = fast(self.build())
        train_on_windows(
            model,
            torch.optim.Adam(model.parameters(), lr=self.rate or TEXT_RATE[self.kind]),
            seed=self.seed,
            steps=self.steps,
            logits=logits,
            callbacks=callbacks,
            label=f"plays, {self.kind}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def loss(self, model: LanguageModel | TinyTransformer, part: str) -> float:
        """Nats a character on one part of the plays, in windows of 64 that do not overlap."""
        pages = plays.pages(part, CONTEXT + 1)
        found = torch.cat([logits(model, page[:, :-1]) for page in pages.split(200)])
        return cross_entropy(found.flatten(0, 1), pages[:, 1:].flatten()).item()

    def load(self) -> LanguageModel | TinyTransformer:
        """The model of the live figure, from the weights of the package."""
        return load(WEIGHTS / f"gradients_{self.kind}.safetensors", self.build()).eval()


def logits(model: LanguageModel | TinyTransformer, tokens: Tensor) -> Tensor:
    """Logits (B, T, V) of either kind of language model."""
    return model(tokens) if isinstance(model, TinyTransformer) else model(tokens)[0]


def tune() -> None:
    """Print what every setting reaches on the seeds of TUNED_ON."""
    for window, frozen in [*((window, False) for window in WINDOWS), (20, True)]:
        for rate in ECHO_GRID:
            one = EchoRecipe(window, TUNED_ON[0], rate=rate, frozen=frozen)
            print(f"echo, window {window}, frozen {frozen}, {rate:g}: {one.accuracy(one.train()):.3f}", flush=True)
    for clip in (None, *LIMITS):
        for rate in RATES:
            recipes = [RecallRecipe(rate, clip, seed) for seed in TUNED_ON]
            found = [one.error(one.train()[0]) for one in recipes]
            print(f"recall, {rate:g}, clip {clip}: {sum(found) / len(found):.4f}", flush=True)
    for kind in KINDS:
        for rate in TEXT_GRID:
            one = TextRecipe(kind, TUNED_ON[0], 300, rate)
            print(f"plays, {kind}, {rate:g}: {one.loss(one.train(), 'validation'):.4f}", flush=True)


def export() -> None:
    """Train the four language models of the live figure and write their weights."""
    for kind in KINDS:
        save(WEIGHTS / f"gradients_{kind}.safetensors", TextRecipe(kind).train(), dtype=torch.float16)
