"""Show, attend and tell: an LSTM describes an image, and attends to its regions, softly or hard, before each word.

Source   Xu et al. 2015, arXiv:1502.03044, sections 3.1 (eqs. 1-7), 4.1 (hard) and 4.2 (soft, eq. 14); lectures
         erdem2021attention (from the paper) and hu2019lecture16. Without attention: Vinyals et al. 2014,
         arXiv:1411.4555.
Departs  the LSTM starts from zeros, so that it knows the image by attention alone; regions have learned position
         embeddings; there is no gate on the context; an attention step is credited with the words from its own on
         only; no image gets the mean context in place of a sampled one (theirs: half of them).
Agrees   torch's functions put together word by word, in values and gradients; the hard gradient: an enumeration of all
         choices of regions, within three standard errors (tests/hard/test_captioner.py).
"""

from typing import Annotated, Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Below, Finite, NonNegativeFloat, Plural, Positive, Rule, Tokens
from attend.hard.reinforce import entropy, reinforce_loss, rewards_to_go
from attend.memory.supervision import shift_right

Kind = Literal["soft", "hard"]
"""The weighted mean of all regions, or one region, drawn by the weights."""

Cell = Annotated[int, Rule("a positive number that 4 divides", lambda size: size > 0 and size % 4 == 0)]
State = tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]
"""The state of the LSTM, (h, c)."""


class Regions(NamedTuple):
    """An image to attend to: the annotation `vectors` (B, S, K), and the `keys` U a of the score (B, S, A)."""

    vectors: Float[Tensor, "B S K"]  # (B, S, K), with positions
    keys: Float[Tensor, "B S A"]  # (B, S, A), U a


class Look(NamedTuple):
    """The `context` vector (B, K), the attention `weights` (B, S), and the weights that were `used` (B, S).

    Soft attention uses its weights as they are, hard attention a one-hot choice of one region.
    """

    context: Float[Tensor, "B K"]  # (B, K), z
    weights: Float[Tensor, "B S"]  # (B, S), alpha
    used: Float[Tensor, "B S"]  # (B, S)


class Outputs(NamedTuple):
    """With teacher forcing: `logits` (B, T, V), attention `weights` (B, T, S), and those that were `used` (B, T, S)."""

    logits: Float[Tensor, "B T V"]  # (B, T, V)
    weights: Float[Tensor, "B T S"]  # (B, T, S)
    used: Float[Tensor, "B T S"]  # (B, T, S)


class Generated(NamedTuple):
    """Captions: `tokens` (B, T), attention `weights` (B, T, S), and those that were `used` (B, T, S)."""

    tokens: Int[Tensor, "B T"]  # (B, T)
    weights: Float[Tensor, "B T S"]  # (B, T, S)
    used: Float[Tensor, "B T S"]  # (B, T, S)


class Encoder(nn.Module):
    """A convolutional network with an annotation vector of width `feature_size` for each cell of an image."""

    @checked
    def __init__(self, feature_size: Positive = 48, channels: tuple[Positive, Positive] = (12, 32), cell: Cell = 16):
        super().__init__()
        first, second = channels
        self.conv1 = nn.Conv2d(1, first, 5, padding=2)
        self.conv2 = nn.Conv2d(first, second, 3, padding=1)
        self.conv3 = nn.Conv2d(second, feature_size, cell // 4, stride=cell // 4)

    def lower(self, images: Tensor) -> Tensor:
        """The feature maps of the second layer, (B, channels, Y / 4, X / 4)."""
        maps = F.max_pool2d(self.conv1(images[:, None]).relu(), 2)  # half as wide
        return F.max_pool2d(self.conv2(maps).relu(), 2)  # a quarter

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B S K"]:
        """The annotation vectors of all cells, row by row."""
        maps = self.conv3(self.lower(images)).relu()  # (B, K, 3, 3)
        return maps.flatten(2).mT  # (B, 9, K)


class Captioner(nn.Module):
    """An LSTM decoder that attends to S regions of an image before each word.

    With `attention` "hard" it draws its regions while it is being trained (`train()`), and takes the likeliest ones
    afterwards (`eval()`). Token `end` starts and ends every caption.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        num_regions: Positive = 9,
        feature_size: Positive = 48,
        embedding_size: Positive = 24,
        hidden_size: Positive = 48,
        score_size: Positive = 32,
        attention: Kind = "soft",
        end: Annotated[int, Below("vocab_size")] = 0,
    ):
        super().__init__()
        V, S, K = vocab_size, num_regions, feature_size
        D, H, A = embedding_size, hidden_size, score_size
        self.attention, self.end = attention, end
        self.positions = nn.Parameter(torch.randn(S, K))
        self.query_proj = nn.Linear(H, A, bias=False)  # W
        self.key_proj = nn.Linear(K, A, bias=False)  # U
        self.score = nn.Linear(A, 1, bias=False)  # v
        self.embed = nn.Embedding(V, D)  # E
        self.lstm = nn.LSTMCell(D + K, H)
        self.from_hidden = nn.Linear(H, D)  # L_h
        self.from_context = nn.Linear(K, D)  # L_z
        self.readout = nn.Linear(D, V)  # L_o

    def read(self, features: Tensor) -> Regions:
        """What the encoder found (B, S, K), with the position of each region added, and the keys: once an image."""
        vectors = features + self.positions  # (B, S, K)
        keys = self.key_proj(vectors)  # (B, S, A)
        return Regions(vectors, keys)

    def start(self, regions: Regions) -> State:
        """The state before the first word: zeros."""
        zeros = regions.vectors.new_zeros(len(regions.vectors), self.lstm.hidden_size)
        return zeros, zeros  # h and c, each (B, H)

    def attend(self, h: Tensor, regions: Regions) -> Look:
        """The context vector for a decoder in the state h (B, H)."""
        query = self.query_proj(h)  # (B, A)
        scores = self.score(torch.tanh(query[:, None] + regions.keys))  # (B, S, 1)
        weights = used = scores[..., 0].softmax(dim=1)  # (B, S)
        if self.attention == "hard":
            likeliest = weights.argmax(dim=1, keepdim=True)
            index = weights.multinomial(1) if self.training else likeliest  # (B, 1)
            used = torch.zeros_like(weights).scatter(1, index, 1.0)  # one-hot
        context = (used[:, None] @ regions.vectors)[:, 0]  # (B, K)
        return Look(context, weights, used)

    def step(self, token: Tensor, state: State, regions: Regions) -> tuple[Tensor, State, Look]:
        """Attend, take in the previous token (B) and the context, and predict the next token: logits (B, V)."""
        look = self.attend(state[0], regions)
        word = self.embed(token)  # (B, D)
        h, c = self.lstm(torch.cat([word, look.context], dim=1), state)  # (B, H) each
        found = word + self.from_hidden(h) + self.from_context(look.context)  # (B, D)
        return self.readout(found), (h, c), look  # the logits are (B, V)

    @checked
    def forward(
        self,
        features: Float[Tensor, "B {self.positions.shape[0]} {self.positions.shape[1]}"],
        captions: Tokens["B T", "self.embed.num_embeddings"],
    ) -> Outputs:
        """Logits of each word of the captions, given the true words before it (teacher forcing)."""
        regions = self.read(features)
        state, steps = self.start(regions), []
        for token in shift_right(captions, self.end).unbind(1):  # (B)
            logits, state, look = self.step(token, state, regions)
            steps.append((logits, look.weights, look.used))
        return Outputs(*(torch.stack(part, dim=1) for part in zip(*steps, strict=True)))

    @checked
    @torch.no_grad()
    def generate(
        self,
        features: Float[Tensor, "B {self.positions.shape[0]} {self.positions.shape[1]}"],
        steps: Positive,
    ) -> Generated:
        """The likeliest word at each of `steps` steps, given the model's own words. After `end` comes only `end`."""
        regions = self.read(features)
        state, found = self.start(regions), []
        token = torch.full_like(features[:, 0, 0], self.end, dtype=torch.long)
        ended = torch.zeros_like(token, dtype=torch.bool)
        for _ in range(steps):
            logits, state, look = self.step(token, state, regions)
            token = logits.argmax(dim=1).masked_fill(ended, self.end)
            ended = ended | (token == self.end)
            found.append((token, look.weights, look.used))
        return Generated(*(torch.stack(part, dim=1) for part in zip(*found, strict=True)))


class ShowAndTell(nn.Module):
    """A captioner without attention: all regions together are the LSTM's first input, and come no more."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        num_regions: Positive = 9,
        feature_size: Positive = 48,
        embedding_size: Positive = 40,
        hidden_size: Positive = 36,
        end: Annotated[int, Below("vocab_size")] = 0,
    ):
        super().__init__()
        self.end, self.sizes = end, (num_regions, feature_size)
        self.image = nn.Linear(num_regions * feature_size, embedding_size)
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.lstm = nn.LSTMCell(embedding_size, hidden_size)
        self.readout = nn.Linear(hidden_size, vocab_size)

    @checked
    def forward(
        self,
        features: Float[Tensor, "B {self.sizes[0]} {self.sizes[1]}"],
        captions: Tokens["B T", "self.embed.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of each word of the captions, given the true words before it (teacher forcing)."""
        h, c = self.lstm(self.image(features.flatten(1)))  # the image, once
        logits = []
        for word in self.embed(shift_right(captions, self.end)).unbind(1):  # (B, D)
            h, c = self.lstm(word, (h, c))
            logits.append(self.readout(h))
        return torch.stack(logits, dim=1)

    @checked
    @torch.no_grad()
    def generate(
        self, features: Float[Tensor, "B {self.sizes[0]} {self.sizes[1]}"], steps: Positive
    ) -> Int[Tensor, "B T"]:
        """The likeliest word at each of `steps` steps, given the model's own words. After `end` comes only `end`."""
        h, c = self.lstm(self.image(features.flatten(1)))
        tokens = torch.full_like(features[:, :1, 0], self.end, dtype=torch.long)  # (B, 1)
        ended = torch.zeros_like(tokens[:, 0], dtype=torch.bool)
        for _ in range(steps):
            h, c = self.lstm(self.embed(tokens[:, -1]), (h, c))
            token = self.readout(h).argmax(dim=1).masked_fill(ended, self.end)
            ended = ended | (token == self.end)
            tokens = torch.cat([tokens, token[:, None]], dim=1)
        return tokens[:, 1:]


@checked
def doubly_stochastic(weights: Float[Tensor, "B T S"]) -> Float[Tensor, ""]:
    """The doubly stochastic term: Σ over regions of (1 − Σ over words of the weights)², the mean over captions.

    It is least when every region gets the same share of the attention.
    """
    return (1 - weights.sum(dim=1)).square().sum(dim=1).mean()


@checked
def word_log_probs(logits: Float[Tensor, "B T V"], captions: Int[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """log p of each true word, in nats."""
    return logits.log_softmax(dim=2).gather(2, captions[:, :, None])[..., 0]


@checked
def hard_loss(
    outputs: Outputs,
    captions: Int[Tensor, "B T"],
    baseline: Finite | Float[Tensor, "*#B T"] = 0.0,
    reinforce_weight: NonNegativeFloat = 1.0,
    entropy_weight: NonNegativeFloat = 0.0,
) -> Float[Tensor, ""]:
    """A loss whose gradient is the estimate of hard attention: cross-entropy, REINFORCE and an entropy bonus, a word.

    `reinforce_weight` is λ_r, `entropy_weight` λ_e of their eq. 12. Of the value only the cross-entropy has a meaning.
    """
    what = word_log_probs(outputs.logits, captions)  # (B, T)
    drawn = (outputs.weights * outputs.used).sum(dim=2)  # (B, T)
    where = drawn.clamp(min=torch.finfo(drawn.dtype).tiny).log()
    policy = reinforce_loss(where, rewards_to_go(what.detach()), baseline)
    return -what.mean() + reinforce_weight * policy - entropy_weight * entropy(outputs.weights).mean()
