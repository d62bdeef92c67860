"""Show, attend and tell: an LSTM describes an image, and attends to its regions, softly or hard, before each word.

Source   Xu et al. 2015, arXiv:1502.03044, sections 3.1 (eqs. 1-7), 4.1 (hard) and 4.2 (soft, eq. 14); lectures
         erdem2021attention (from the paper) and hu2019lecture16.
Departs  the LSTM starts from zeros, so that it knows the image by attention alone; regions have learned position
         embeddings; an attention step is credited with the words from its own on only, with a baseline for each word;
         no image gets the mean context in place of a sampled one (theirs: half of them).
Agrees   torch.nn.LSTMCell, functional.conv2d and linear put together, in values and gradients; the hard gradient: an
         enumeration of all choices of regions, within three standard errors (tests/hard/test_captioner.py).
"""

from typing import Annotated, Literal, NamedTuple, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, one_hot

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Below, NonNegativeFloat, Plural, Positive, Rule, Tokens
from attend.gating.lstm import LSTM
from attend.hard.reinforce import entropy, reinforce_loss, sample_categorical
from attend.memory.supervision import shift_right
from attend.soft.scores import Name, Score

Kind = Literal["soft", "hard", "mean"]
KINDS: tuple[str, ...] = get_args(Kind)
"""The weighted mean of all regions; one region, sampled by the weights; the plain mean of all regions."""

Cell = Annotated[int, Rule("a positive number that 4 divides", lambda size: size > 0 and size % 4 == 0)]
State = tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]
"""The state of the LSTM, (h, c)."""


class Attention(NamedTuple):
    """The `context` vector (B, K), the attention `weights` (B, S), and the weights that were `used` (B, S).

    Soft attention uses its weights as they are, hard attention a one-hot choice of one region.
    """

    context: Float[Tensor, "B K"]
    weights: Float[Tensor, "B S"]
    used: Float[Tensor, "B S"]


class Step(NamedTuple):
    """One decoder step: `logits` (B, V) of the next word, the new `state`, and the `attention` before it."""

    logits: Float[Tensor, "B V"]
    state: State
    attention: Attention


class Outputs(NamedTuple):
    """With teacher forcing: `logits` (B, T, V), attention `weights` (B, T, S), and those that were `used` (B, T, S)."""

    logits: Float[Tensor, "B T V"]
    weights: Float[Tensor, "B T S"]
    used: Float[Tensor, "B T S"]


class Generated(NamedTuple):
    """Captions: `tokens` (B, T), attention `weights` (B, T, S), and those that were `used` (B, T, S)."""

    tokens: Int[Tensor, "B T"]
    weights: Float[Tensor, "B T S"]
    used: Float[Tensor, "B T S"]


class Captioner(nn.Module):
    """A convolutional encoder, and an LSTM decoder that attends to regions of the image before each word.

    The image has `side` x `side` cells of `cell` pixels; these are the S regions, with annotation vectors of width
    `feature_size`. With `gated` the context is scaled by β = σ(f h) (their section 4.2.1). Token `end` starts and ends
    every caption. Raises ValueError for sizes that are not positive, and for a cell that 4 does not divide.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        embedding_size: Positive = 24,
        hidden_size: Positive = 64,
        feature_size: Positive = 64,
        attention: Kind = "soft",
        features: tuple[Positive, Positive] = (8, 16),
        side: Positive = 3,
        cell: Cell = 16,
        score: Name = "additive",
        gated: bool = False,
        end: Annotated[int, Below("vocab_size")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        V, D, H, K, size = vocab_size, embedding_size, hidden_size, feature_size, cell // 4
        self.attention, self.width, self.end = attention, side * cell, end
        self.conv1 = kaiming_(nn.Conv2d(1, features[0], 5, padding=2), generator)
        self.conv2 = kaiming_(nn.Conv2d(features[0], features[1], 3, padding=1), generator)
        self.conv3 = kaiming_(nn.Conv2d(features[1], K, size, stride=size), generator)
        self.positions = nn.Parameter(torch.randn(side**2, K, generator=generator))
        self.embed = embedding_(nn.Embedding(V, D), generator=generator)
        self.score = Score(score, H, K, hidden_size=32, max_length=side**2, generator=generator)
        self.decoder = LSTM(D + K, H, forget_bias=0.0, generator=generator)
        self.gate = linear_(nn.Linear(H, 1), generator) if gated else None
        self.from_hidden = linear_(nn.Linear(H, D), generator)
        self.from_context = linear_(nn.Linear(K, D), generator)
        self.readout = linear_(nn.Linear(D, V), generator)

    def feature_maps(self, images: Tensor) -> Tensor:
        """The last feature maps of images (B, Y, X), before the ReLU: a vector for each cell, (B, K, side, side)."""
        maps = max_pool2d(self.conv1(images[:, None]).relu(), 2)
        maps = max_pool2d(self.conv2(maps).relu(), 2)
        return self.conv3(maps)

    def annotate(self, maps: Tensor) -> Tensor:
        """Feature maps as annotation vectors (B, S, K), cells row by row, with their position embeddings added."""
        return maps.flatten(2).mT.relu() + self.positions

    @checked
    def encode(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B S K"]:
        """The annotation vectors of all regions. Raises ValueError for images of another size."""
        size = f"images of {self.width} x {self.width} pixels"
        expect(images.shape[1:] == (self.width, self.width), "images", images, size)
        return self.annotate(self.feature_maps(images))

    def start(self, batch_size: int) -> State:
        """The state before the first word: zeros."""
        return (self.positions.new_zeros(batch_size, self.decoder.hidden_size),) * 2

    def attention_weights(self, state: State, regions: Tensor) -> Tensor:
        """A softmax over the scores of the hidden state with each region (B, S)."""
        if self.attention == "mean":
            return torch.full_like(regions[:, :, 0], 1 / regions.shape[1])
        return self.score(state[0][:, None], regions)[:, 0].softmax(dim=1)

    def attend(self, state: State, regions: Tensor, generator: torch.Generator | None = None) -> Attention:
        """The context vector. Hard attention samples a region with `generator`; without one it takes the likeliest."""
        weights = used = self.attention_weights(state, regions)
        if self.attention == "hard":
            chosen = weights.argmax(dim=1)
            if generator is not None:
                chosen = sample_categorical(weights[:, None], generator).index[:, 0]
            used = one_hot(chosen, regions.shape[1]).to(weights.dtype)
        context = (used[:, None] @ regions).squeeze(1)
        if self.gate is not None:
            context = torch.sigmoid(self.gate(state[0])) * context
        return Attention(context, weights, used)

    def deep_output(self, word: Tensor, h: Tensor, context: Tensor) -> Tensor:
        """Logits of the next word, L_o(E y + L_h h + L_z z), their eq. 7."""
        return self.readout(word + self.from_hidden(h) + self.from_context(context))

    def step(self, token: Tensor, state: State, regions: Tensor, generator: torch.Generator | None = None) -> Step:
        """Attend, take in the previous token (B) and the context, and predict the next token."""
        attention, word = self.attend(state, regions, generator), self.embed(token)
        state = self.decoder.step(torch.cat([word, attention.context], dim=1), state)
        return Step(self.deep_output(word, state[0], attention.context), state, attention)

    @checked
    def forward(
        self,
        regions: Float[Tensor, "B S {self.positions.shape[1]}"],
        captions: Tokens["B T", "self.embed.num_embeddings"],
        generator: torch.Generator | None = None,
    ) -> Outputs:
        """Logits of each word of the captions, given the true words before it (teacher forcing)."""
        words, state, steps = self.embed(shift_right(captions, self.end)), self.start(len(regions)), []
        for word in words.unbind(1):
            attention = self.attend(state, regions, generator)
            state = self.decoder.step(torch.cat([word, attention.context], dim=1), state)
            steps.append((state[0], *attention))
        h, context, weights, used = (torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))
        return Outputs(self.deep_output(words, h, context), weights, used)

    @checked
    @torch.no_grad()
    def generate(
        self,
        regions: Float[Tensor, "B S {self.positions.shape[1]}"],
        steps: Positive,
        generator: torch.Generator | None = None,
    ) -> Generated:
        """The likeliest word at each of `steps` steps, given the model's own words. After `end` comes only `end`."""
        token = regions.new_full((len(regions),), self.end, dtype=torch.long)
        state, ended, found = self.start(len(regions)), torch.zeros_like(token, dtype=torch.bool), []
        for _ in range(steps):
            logits, state, attention = self.step(token, state, regions, generator)
            token = logits.argmax(dim=1).masked_fill(ended, self.end)
            ended = ended | (token == self.end)
            found.append((token, attention.weights, attention.used))
        return Generated(*(torch.stack(parts, dim=1) for parts in zip(*found, strict=True)))


@checked
@torch.no_grad()
def kaiming_(conv: nn.Conv2d, generator: torch.Generator | None = None) -> nn.Conv2d:
    """Normal weights that keep the variance through a ReLU (He et al. 2015), and biases of zero; returns the layer."""
    std = (2 / conv.weight[0].numel()) ** 0.5
    conv.weight.copy_(torch.randn(conv.weight.shape, generator=generator) * std)
    nn.init.zeros_(conv.bias)
    return conv


@checked
def doubly_stochastic(weights: Float[Tensor, "B T S"]) -> Float[Tensor, ""]:
    """The doubly stochastic term: Σ over regions of (1 − Σ over words of the weights)², the mean over captions.

    It is least when every region gets the same share of the attention.
    """
    return (1 - weights.sum(dim=1)).square().sum(dim=1).mean()


@checked
def negative_log_likelihood(logits: Float[Tensor, "B T V"], captions: Int[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """−log p of each true word, in nats."""
    return -logits.log_softmax(dim=2).gather(2, captions[:, :, None]).squeeze(2)


@checked
def rewards_to_go(nll: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """The reward of each attention step: log p of its own word and of all later ones, which alone it can change."""
    return -nll.detach().flip(1).cumsum(1).flip(1)


@checked
def moving_baseline(
    baseline: Float[Tensor, "T"],
    rewards: Float[Tensor, "B T"],
    decay: Annotated[float, Rule("a number from 0 to below 1", lambda value: 0 <= value < 1)] = 0.9,
) -> Float[Tensor, "T"]:
    """The baseline of each step: an exponential moving average of the mean rewards of the batches."""
    return decay * baseline + (1 - decay) * rewards.mean(dim=0)


@checked
def hard_loss(
    outputs: Outputs,
    captions: Int[Tensor, "B T"],
    baseline: Float[Tensor, "T"],
    reinforce_weight: NonNegativeFloat = 1.0,
    entropy_weight: NonNegativeFloat = 0.0,
) -> Float[Tensor, ""]:
    """A loss whose gradient is the estimate of hard attention: cross-entropy, REINFORCE and an entropy bonus, a word.

    `reinforce_weight` is λ_r, `entropy_weight` λ_e of their eq. 12. Of the value only the cross-entropy has a meaning.
    """
    nll = negative_log_likelihood(outputs.logits, captions)
    probs = (outputs.weights * outputs.used).sum(dim=2)  # of the regions that were chosen
    log_probs = probs.clamp(min=torch.finfo(probs.dtype).tiny).log()
    reinforce = reinforce_loss(log_probs, rewards_to_go(nll), baseline)
    return nll.mean() + reinforce_weight * reinforce - entropy_weight * entropy(outputs.weights).mean()
