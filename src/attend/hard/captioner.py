"""Show, attend and tell: an image becomes regions, and before each word the writer looks at them, softly or at one.

Source   Xu et al. 2015, arXiv:1502.03044, sections 3.1 (eqs. 1-7), 4.1 (hard) and 4.2 (soft, eq. 14); lectures
         erdem2021attention (from the paper) and hu2019lecture16.
Departs  the LSTM starts empty, so that all it knows of the image is what it looked at; regions carry a learned vector
         for their place; each look is charged with the words from it on only, with a baseline for each word; no image
         gets the mean context in place of a drawn one (theirs: half of them).
Agrees   torch.nn.LSTMCell, functional.conv2d and linear put together, in values and gradients; the hard gradient: an
         enumeration of all looks, within three standard errors (tests/hard/test_captioner.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import one_hot

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Plural, Positive, Tokens
from attend.gating.lstm import LSTM
from attend.hard.reinforce import entropy, reinforce_loss, sample_categorical
from attend.memory.convnet import convolve, max_pool
from attend.memory.supervision import shift_right
from attend.soft.scores import SCORES, Score

LOOKS = ("soft", "hard", "mean")
"""How a writer looks: at the weighted mean of all regions, at one of them drawn by the weights, at the plain mean."""


State = tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]
"""The LSTM's state: h, and the cell."""


class Look(NamedTuple):
    """One look: what was read, `context` (B, K), the `weights` (B, S) of the regions, and how much of each was used,

    `used` (B, S): the weights themselves, or 1 for the one region that was chosen.
    """

    context: Float[Tensor, "B K"]
    weights: Float[Tensor, "B S"]
    used: Float[Tensor, "B S"]


class Word(NamedTuple):
    """One step of writing: `logits` (B, V) of the word, the `state` to go on from, and the `look` before it."""

    logits: Float[Tensor, "B V"]
    state: State
    look: Look


class Told(NamedTuple):
    """All steps: `logits` (B, T, V), `weights` (B, T, S) and what was `used` of each region (B, T, S)."""

    logits: Float[Tensor, "B T V"]
    weights: Float[Tensor, "B T S"]
    used: Float[Tensor, "B T S"]


class Written(NamedTuple):
    """A caption of the model's own: `tokens` (B, T), and where it looked before each, as in Told."""

    tokens: Int[Tensor, "B T"]
    weights: Float[Tensor, "B T S"]
    used: Float[Tensor, "B T S"]


class Captioner(nn.Module):
    """Two rounds of convolution and pooling, a last convolution that makes a vector of each cell, and a writer.

    The image has `side` x `side` cells of `cell` pixels; they are the S regions, with annotation vectors of width K.
    V words have vectors of width D, the LSTM has H units, `look` is one of LOOKS. With `gated` the context is scaled
    by β = σ(f h), which may say that no look is needed. Token `end` starts and ends every caption.

    Raises ValueError for sizes that are not positive, a cell that 4 does not divide, an unknown `look`, and an `end`
    that is no token.
    """

    @checked
    def __init__(
        self,
        V: Plural,
        D: Positive = 24,
        H: int = 64,
        K: int = 64,
        look: str = "soft",
        features: tuple[int, int] = (8, 16),
        side: int = 3,
        cell: int = 16,
        score: str = "additive",
        gated: bool = False,
        end: int = 0,
        generator: torch.Generator | None = None,
    ):
        expect(look in LOOKS, "look", look, f"one of {', '.join(LOOKS)}")
        expect(H > 0, "H", H, "a positive whole number")
        expect(K > 0, "K", K, "a positive whole number")
        expect(score in SCORES, "score", score, f"one of {', '.join(SCORES)}")
        expect(min(features) > 0, "features", features, "at least one map in each layer")
        expect(side > 0, "side", side, "a positive whole number")
        expect(cell > 0 and cell % 4 == 0, "cell", cell, "a positive number that 4 divides")
        expect(0 <= end < V, "end", end, f"a token from 0 to V - 1 = {V - 1}")
        super().__init__()
        self.look, self.side, self.cell, self.end = look, side, cell, end
        self.kernels1, self.bias1 = _filters(features[0], 1, 5, generator)
        self.kernels2, self.bias2 = _filters(features[1], features[0], 3, generator)
        self.kernels3, self.bias3 = _filters(K, features[1], cell // 4, generator)
        self.places = nn.Parameter(torch.randn(side**2, K, generator=generator))
        self.embed = embedding_(nn.Embedding(V, D), generator=generator)
        self.score = Score(score, H, K, hidden_size=32, max_length=side**2, generator=generator)
        self.writer = LSTM(D + K, H, forget_bias=0.0, generator=generator)
        self.gate = linear_(nn.Linear(H, 1), generator) if gated else None
        self.of_state, self.of_context = linear_(nn.Linear(H, D), generator), linear_(nn.Linear(K, D), generator)
        self.say = linear_(nn.Linear(D, V), generator)

    @checked
    def regions(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B S K"]:
        """The annotation vector of each cell, row by row: what stands there, and where. See `maps`, `annotate`."""
        return self.annotate(self.maps(images))

    @checked
    def maps(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B K R R"]:
        """What the conv net sees in each cell, before a ReLU. Raises ValueError for images of another size."""
        wide = self.side * self.cell
        expect(images.shape[1:] == (wide, wide), "images", images, f"images of {wide} x {wide} pixels")
        maps = max_pool(convolve(images[:, None], self.kernels1, self.bias1, padding="same").relu())
        maps = max_pool(convolve(maps, self.kernels2, self.bias2, padding="same").relu())
        return convolve(maps, self.kernels3, self.bias3, stride=self.cell // 4)

    @checked
    def annotate(self, maps: Float[Tensor, "B K R R"]) -> Float[Tensor, "B S K"]:
        """The last maps as a list of regions, each told its place: a = relu(map) + place."""
        wanted = (self.places.shape[1], self.side, self.side)
        expect(maps.shape[1:] == wanted, "maps", maps, f"maps of shape (B, {', '.join(map(str, wanted))})")
        return maps.flatten(2).mT.relu() + self.places

    @checked
    def start(self, batch: int) -> State:
        """The empty state before the first word."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return (self.places.new_zeros(batch, self.writer.hidden_size),) * 2

    @checked
    def weigh(self, state: State, regions: Float[Tensor, "B S K"]) -> Float[Tensor, "B S"]:
        """Where a writer in this state would look: a softmax of the scores of h with each region."""
        wide = self.places.shape[1]
        expect(regions.shape[2] == wide, "regions", regions, f"regions of width K = {wide}")
        if self.look == "mean":
            return torch.full_like(regions[:, :, 0], 1 / regions.shape[1])
        return self.score(state[0][:, None], regions)[:, 0].softmax(dim=1)

    @checked
    def attend(
        self,
        state: State,
        regions: Float[Tensor, "B S K"],
        generator: torch.Generator | None = None,
    ) -> Look:
        """One look. A hard one draws its region with `generator`; without one it takes the likeliest."""
        weights = used = self.weigh(state, regions)
        if self.look == "hard":
            chosen = weights.argmax(dim=1)
            if generator is not None:
                chosen = sample_categorical(weights[:, None], generator).index[:, 0]
            used = one_hot(chosen, regions.shape[1]).to(weights.dtype)
        context = (used[:, None] @ regions).squeeze(1)
        if self.gate is not None:
            context = torch.sigmoid(self.gate(state[0])) * context
        return Look(context, weights, used)

    @checked
    def step(
        self,
        token: Tokens["B", "self.embed.num_embeddings"],
        state: State,
        regions: Float[Tensor, "B S K"],
        generator: torch.Generator | None = None,
    ) -> Word:
        """Look, take in one's own last word and what was seen, and say the next word."""
        look, word = self.attend(state, regions, generator), self.embed(token)
        state = self.writer.step(torch.cat([word, look.context], dim=1), state)
        return Word(self.deep_output(word, state[0], look.context), state, look)

    @checked
    def deep_output(
        self, word: Float[Tensor, "*B D"], h: Float[Tensor, "*B H"], context: Float[Tensor, "*B K"]
    ) -> Float[Tensor, "*B V"]:
        """Logits of the next word, L_o(E y + L_h h + L_z z): a linear map of all three (their eq. 7)."""
        wanted = {"word": (word, self.say), "h": (h, self.of_state), "context": (context, self.of_context)}
        for name, (given, layer) in wanted.items():
            wide = layer.weight.shape[1]
            expect(given.shape[-1] == wide, name, given, f"vectors of width {wide}")
        return self.say(word + self.of_state(h) + self.of_context(context))

    @checked
    def forward(
        self,
        regions: Float[Tensor, "B S K"],
        captions: Tokens["B T", "self.embed.num_embeddings"],
        generator: torch.Generator | None = None,
    ) -> Told:
        """Logits of each word of the captions when the true word before it is given: teacher forcing."""
        words, state, steps = self.embed(shift_right(captions, self.end)), self.start(len(regions)), []
        for word in words.unbind(1):
            look = self.attend(state, regions, generator)
            state = self.writer.step(torch.cat([word, look.context], dim=1), state)
            steps.append((state[0], *look))
        h, context, weights, used = (torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))
        return Told(self.deep_output(words, h, context), weights, used)

    @checked
    @torch.no_grad()
    def write(
        self,
        regions: Float[Tensor, "B S K"],
        steps: int,
        generator: torch.Generator | None = None,
    ) -> Written:
        """The likeliest word at each of `steps` steps, given the model's own words. After `end` comes only `end`."""
        expect(steps > 0, "steps", steps, "a positive whole number")
        token = torch.full((len(regions),), self.end)
        state, over, found = self.start(len(regions)), torch.zeros(len(regions), dtype=torch.bool), []
        for _ in range(steps):
            logits, state, look = self.step(token, state, regions, generator)
            token = logits.argmax(dim=1).masked_fill(over, self.end)
            over = over | (token == self.end)
            found.append((token, look.weights, look.used))
        return Written(*(torch.stack(parts, dim=1) for parts in zip(*found, strict=True)))


def _filters(out: int, channels: int, size: int, generator) -> tuple[nn.Parameter, nn.Parameter]:
    """Kernels (out, channels, size, size) that keep the variance through a ReLU, and biases of zero."""
    kernels = torch.randn(out, channels, size, size, generator=generator) * (2 / (channels * size**2)) ** 0.5
    return nn.Parameter(kernels), nn.Parameter(torch.zeros(out))


@checked
def doubly_stochastic(weights: Float[Tensor, "B T S"]) -> Float[Tensor, ""]:
    """The doubly stochastic term: Σ over regions of (1 − Σ over words of the weights)², the mean over captions.

    It is least when every region gets the same share of all the looks.
    """
    return (1 - weights.sum(dim=1)).square().sum(dim=1).mean()


@checked
def surprise(logits: Float[Tensor, "B T V"], captions: Int[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """The surprise at each true word, − log p, in nats."""
    return -logits.log_softmax(dim=2).gather(2, captions[:, :, None]).squeeze(2)


@checked
def rewards(surprises: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """What each look is paid: log p of its own word and of all later ones. Earlier words were written before it."""
    return -surprises.detach().flip(1).cumsum(1).flip(1)


@checked
def moved(baseline: Float[Tensor, "T"], paid: Float[Tensor, "B T"], keep: float = 0.9) -> Float[Tensor, "T"]:
    """The moving baseline: what a look before each word was paid lately. Raises ValueError unless 0 <= keep < 1."""
    expect(0 <= keep < 1, "keep", keep, "a number from 0 to below 1")
    return keep * baseline + (1 - keep) * paid.mean(dim=0)


@checked
def hard_loss(
    told: Told,
    captions: Int[Tensor, "B T"],
    baseline: Float[Tensor, "T"],
    trust: float = 1.0,
    bonus: float = 0.0,
) -> Float[Tensor, ""]:
    """A loss whose gradient is the hard estimate, per word: the surprise, `trust` (λ_r) times the score-function term,

    minus `bonus` (λ_e) times the entropy of the weights. The value of the second part means nothing.
    """
    expect(0 <= trust < torch.inf, "trust", trust, "a number from 0 up")
    expect(0 <= bonus < torch.inf, "bonus", bonus, "a number from 0 up")
    surprises = surprise(told.logits, captions)
    chance = (told.weights * told.used).sum(dim=2)
    chance = chance.clamp(min=torch.finfo(chance.dtype).tiny)
    looks = reinforce_loss(chance.log(), rewards(surprises), baseline)
    spread = entropy(told.weights).mean()
    return surprises.mean() + trust * looks - bonus * spread
