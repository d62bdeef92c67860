"""One look by one head or several: which letters stand around each step, with places known in three ways."""

from collections.abc import Callable, Iterator
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.init import embedding_, linear_
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.tasks import neighbours
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.positions import LearnedPositions, sinusoids
from attend.transformers.tiny_translator import FeedForward

HELD_OUT = 1_000


class Reporter(nn.Module):
    """Embeddings and positions, one multi-head attention, and a linear layer: logits of the letter at each offset.

    With `feed_forward` a feed-forward layer with a residual connection stands before the linear one. Learned
    `positions` reach up to T.
    """

    @checked
    def __init__(
        self,
        num_heads: Positive = 2,
        d_model: Positive = 32,
        T: Positive = 12,
        offsets: tuple[int, ...] = neighbours.BESIDE,
        positions: Literal["sinusoids", "learned", "none"] = "sinusoids",
        feed_forward: bool = False,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.d_model, self.offsets, self.positions = d_model, offsets, positions
        self.embedding = nn.Embedding(neighbours.LETTERS, d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.output = nn.Linear(d_model, len(offsets) * neighbours.LETTERS)
        self.feed_forward = FeedForward(d_model, 4 * d_model) if feed_forward else None
        self.learned = LearnedPositions(T, d_model) if positions == "learned" else None
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew."""
        embedding_(self.embedding, generator=generator)
        self.attention.reset_parameters(generator)
        linear_(self.output, generator)
        if self.feed_forward is not None:
            linear_(self.feed_forward.linear1, generator)
            linear_(self.feed_forward.linear2, generator)
        if self.learned is not None:
            self.learned.reset_parameters(generator)

    @checked
    def embed(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """What the heads attend to: embedding plus position. Raises ValueError where learned positions run out."""
        x, T = self.embedding(letters), letters.shape[1]
        if self.learned is not None:
            return x + self.learned(T)
        return x + sinusoids(T, self.d_model, device=x.device).to(x.dtype) if self.positions == "sinusoids" else x

    @checked
    def forward(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B U O V"]:
        """Logits of the letter at each of the O offsets, from every inner step."""
        output = self.attention(self.embed(letters))
        if self.feed_forward is not None:
            output = output + self.feed_forward(output)
        inner = neighbours.inner(letters.shape[1], self.offsets)
        return self.output(output[:, inner]).unflatten(2, (len(self.offsets), -1))

    @checked
    def weights(self, letters: Int[Tensor, "B T"]) -> Float[Tensor, "B heads T T"]:
        """The attention weights of each head."""
        x = self.embed(letters)
        return MultiHeadAttention.attend(self.attention, x, self.attention.keys_values(x))[1]


@recipe
class HeadsRecipe:
    """A Reporter, taught new rows of T letters at each step of Adam, with one rise and fall of its rate.

    Steps, widths and rates were set with seeds 5 and 6.
    """

    num_heads: Positive = 2
    seed: Seed = 0
    positions: Literal["sinusoids", "learned", "none"] = "sinusoids"
    feed_forward: bool = False
    offsets: tuple[int, ...] = neighbours.BESIDE
    T: Positive = 12
    d_model: Positive = 32
    steps: Positive = 300
    batch: Positive = 64
    rate: PositiveFloat = 0.01

    def build(self) -> Reporter:
        """The reporter with its first random weights."""
        sizes = (self.num_heads, self.d_model, self.T, self.offsets, self.positions, self.feed_forward)
        return Reporter(*sizes, generator=torch.Generator().manual_seed(self.seed))

    def batches(self) -> Iterator[Tensor]:
        """Endless new rows, the same for all reporters of one seed."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield neighbours.sample(self.batch, self.T, generator)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Reporter, History]:
        """Train from the start."""
        model = fast(self.build())
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        schedule = one_cycle(optimiser, self.steps)
        history = fit(
            model,
            cost,
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            callbacks=callbacks,
            label="reporting neighbours",
        )
        return model.requires_grad_(False), history


def cost(model: Reporter, letters: Tensor) -> Tensor:
    """The mean surprise at a right letter, in nats."""
    return cross_entropy(model(letters).flatten(0, 2), neighbours.answers(letters, model.offsets).flatten())


@torch.no_grad()
def right(model: Reporter, T: int = 12) -> Tensor:
    """Which answers are right, (rows, inner steps, offsets), on rows of T letters that are the same for every model."""
    letters = neighbours.sample(HELD_OUT, T, torch.Generator().manual_seed(1_000_000))
    return model(letters).argmax(dim=3) == neighbours.answers(letters, model.offsets)


def whole(model: Reporter, T: int = 12) -> float:
    """The share of inner steps whose answer is right at every offset."""
    return right(model, T).all(dim=2).double().mean().item()


def around(num_heads: int, seed: int = 0) -> HeadsRecipe:
    """Four letters to report, with a feed-forward layer after the attention; the rest as for two."""
    return HeadsRecipe(num_heads, seed, feed_forward=True, offsets=neighbours.AROUND, steps=800)
