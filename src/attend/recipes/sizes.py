"""Published models at their own sizes, to be built on `meta` and counted: what did they cost to train?

Each is made of the course's classes, or of torch.nn's, with what its paper changes. `python -m attend.recipes.sizes`
prints the table; `costs("GPT-2 small")` gives its rows for a page.

Source   stands with each model; so does what the paper says of its size and of its training.
Departs  what changes neither a number that is learned nor a product of matrices: dropout, and how weights are drawn.
Agrees   the published numbers of weights, exactly where they are published exactly (tests/recipes/test_sizes.py).
"""

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from attend.core.expect import checked
from attend.core.types import Positive
from attend.fast import fast
from attend.recipes.launch import SUSTAINED, days
from attend.train.cost import Cost, cost, on_meta
from attend.transformers.blocks import EncoderBlock
from attend.transformers.modern import ModernTransformer
from attend.transformers.tiny_transformer import Block, TinyTransformer
from attend.transformers.translator import Transformer


@dataclass(frozen=True)
class Published(ABC):
    """A model as its paper describes it.

    `says` is the number of weights of what was released, or in the paper's words; `tokens` how many tokens its training
    read, counted again each time; None where its paper does not tell, or where not all of the model is counted.
    """

    source: str
    says: str
    tokens: float | None

    @abstractmethod
    def build(self) -> nn.Module:
        """The model, of many gigabytes unless it is made on meta."""

    @abstractmethod
    def example(self, batch: int) -> Any:
        """So many examples of the length that it was trained on."""

    @abstractmethod
    def read(self) -> int:
        """Tokens that are read in an example."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        """What is minimised."""


def _next(logits: Tensor, tokens: Tensor) -> Tensor:
    return cross_entropy(logits.flatten(0, 1), tokens.flatten())


@dataclass(frozen=True)
class LanguageModel(Published):
    """Predicts each token from those before it; a subclass says what it is made of."""

    vocab_size: int
    context: int
    d_model: int
    num_heads: int
    num_layers: int

    def example(self, batch: int) -> Tensor:
        """Windows of one token more than the context."""
        return torch.zeros(batch, self.context + 1, dtype=torch.long)

    def read(self) -> int:
        """The context."""
        return self.context

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Surprise at the next token."""
        return _next(model(batch[:, :-1]), batch[:, 1:])


class PostBlock(Block):
    """The block of 2017 and of the first GPT, which normalises the sums."""

    def forward(self, x: Tensor) -> Tensor:
        """All positions at once."""
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.feed_forward(x))


@dataclass(frozen=True)
class GPT(LanguageModel):
    """The tiny Transformer of the course with GELU, and one table for the tokens that go in and those that come out."""

    norm: str = "pre"

    def build(self) -> nn.Module:
        """The model."""
        model = TinyTransformer(self.vocab_size, self.d_model, self.num_heads, self.num_layers, self.context)
        model.output = nn.Linear(self.d_model, self.vocab_size, bias=False)
        model.output.weight = model.token.weight
        for block in model.blocks:
            block.feed_forward[1] = nn.GELU()
            if self.norm == "post":
                block.__class__ = PostBlock
        if self.norm == "post":
            model.norm = nn.Identity()  # the last sum is normalised already
        return fast(model)


@dataclass(frozen=True)
class Llama(LanguageModel):
    """The block of the page on today's Transformers."""

    num_kv_heads: int
    d_ff: int

    def build(self) -> nn.Module:
        """The model."""
        sizes = self.d_model, self.num_heads, self.num_kv_heads, self.d_ff, self.num_layers
        return ModernTransformer(self.vocab_size, *sizes)


class BertModel(nn.Module):
    """An encoder of post-norm blocks over the sum of three embeddings, and the pooler of its first position."""

    def __init__(self, vocab_size: int, context: int, d_model: int, num_heads: int, num_layers: int):
        super().__init__()
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(context, d_model)
        self.segment, self.norm = nn.Embedding(2, d_model), nn.LayerNorm(d_model)
        self.blocks = nn.Sequential(
            *(EncoderBlock(d_model, num_heads, 4 * d_model, norm="post") for _ in range(num_layers))
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """A vector for every position (B, T, D), and one for the pair of sentences (B, D)."""
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.norm(self.token(tokens) + self.position(positions) + self.segment(segments)))
        return x, self.pooler(x[:, 0]).tanh()


@dataclass(frozen=True)
class Bert(LanguageModel):
    """Guesses 15 of 100 tokens from all the others, with the table of embeddings, and reads both sentences' pooler.

    The two small layers on top that only pretraining uses (a product of d_model², and one of two columns) are left out,
    as in the published number.
    """

    def build(self) -> nn.Module:
        """The model."""
        return fast(BertModel(self.vocab_size, self.context, self.d_model, self.num_heads, self.num_layers))

    def example(self, batch: int) -> Tensor:
        """Two sentences in a row."""
        return torch.zeros(batch, self.context, dtype=torch.long)

    def loss(self, model: BertModel, batch: Tensor) -> Tensor:
        """Of the masked tokens; the pooler's share is that of one number for each example."""
        hidden, pair = model(batch, torch.zeros_like(batch))
        masked = self.context * 15 // 100
        logits = gelu(hidden[:, :masked]) @ model.token.weight.T
        return _next(logits, batch[:, :masked]) + pair.mean()


@dataclass(frozen=True)
class Translator(Published):
    """The course's Transformer, post-norm as in its paper, with one table of embeddings for both sides and the end."""

    vocab_size: int
    d_model: int
    num_heads: int
    d_ff: int
    length: int = 25

    def build(self) -> nn.Module:
        """The model."""
        V = self.vocab_size
        model = Transformer(V, V, self.d_model, self.num_heads, self.d_ff, num_layers=6, norm="post")
        model.target_embedding = model.source_embedding
        model.output = nn.Linear(self.d_model, V, bias=False)
        model.output.weight = model.source_embedding.weight
        model.encoder_norm = model.decoder_norm = nn.Identity()  # the last sum is normalised already
        return fast(model)

    def example(self, batch: int) -> Tensor:
        """Sentences of as many tokens on both sides."""
        return torch.zeros(batch, self.length, dtype=torch.long)

    def read(self) -> int:
        """Tokens of the target; the source has as many."""
        return self.length

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Surprise at the target."""
        return _next(model(batch, torch.ones_like(batch, dtype=torch.bool), batch), batch)


class AWDModel(nn.Module):
    """Three LSTMs on one another; one table of embeddings at both ends."""

    def __init__(self, vocab_size: int, width: int, hidden: int):
        super().__init__()
        self.token = nn.Embedding(vocab_size, width)
        sizes = (width, hidden, hidden, width)
        self.layers = nn.ModuleList(nn.LSTM(sizes[i], sizes[i + 1], batch_first=True) for i in range(3))
        self.output = nn.Linear(width, vocab_size)
        self.output.weight = self.token.weight

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (B, T, V)."""
        x = self.token(tokens)
        for layer in self.layers:
            x, _ = layer(x)
        return self.output(x)


@dataclass(frozen=True)
class AWDLSTM(Published):
    """The language model of ULMFiT."""

    vocab_size: int
    width: int = 400
    hidden: int = 1_150
    length: int = 70

    def build(self) -> nn.Module:
        """The model."""
        return AWDModel(self.vocab_size, self.width, self.hidden)

    def example(self, batch: int) -> Tensor:
        """Windows of one token more than is read at a time."""
        return torch.zeros(batch, self.length + 1, dtype=torch.long)

    def read(self) -> int:
        """So many at a time."""
        return self.length

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Surprise at the next token."""
        return _next(model(batch[:, :-1]), batch[:, 1:])


class ElmoModel(nn.Module):
    """Words from their characters; two LSTMs on one another in each direction, whose wide cells speak 512 numbers."""

    FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1_024))

    def __init__(self):
        super().__init__()
        self.character = nn.Embedding(262, 16)
        self.filters = nn.ModuleList(nn.Conv1d(16, count, width) for width, count in self.FILTERS)
        self.highways = nn.ModuleList(nn.Linear(2_048, 2 * 2_048) for _ in range(2))
        self.down = nn.Linear(2_048, 512)
        self.directions = nn.ModuleList(
            nn.ModuleList(nn.LSTM(512, 4_096, proj_size=512, batch_first=True) for _ in range(2)) for _ in range(2)
        )
        for lstm in (lstm for two in self.directions for lstm in two):
            lstm.bias_hh_l0.requires_grad_(False)  # torch has two biases where one does all

    def forward(self, characters: Tensor) -> Tensor:
        """What both directions say of every word (B, T, 1024), from its characters (B, T, 50)."""
        x = self.character(characters.flatten(0, 1)).transpose(1, 2)  # (B T, 16, 50)
        x = torch.cat([conv(x).amax(dim=2) for conv in self.filters], dim=1).relu()
        for highway in self.highways:
            new, gate = highway(x).chunk(2, dim=1)
            x = torch.lerp(new.relu(), x, gate.sigmoid())
        words = self.down(x).unflatten(0, characters.shape[:2])  # (B, T, 512)
        said = []
        for two, flipped in zip(self.directions, (False, True), strict=True):
            x = words.flip(1) if flipped else words
            x = two[0](x)[0]
            x = x + two[1](x)[0]
            said.append(x.flip(1) if flipped else x)
        return torch.cat(said, dim=2)


@dataclass(frozen=True)
class Elmo(Published):
    """Without the samples of a softmax over 793,471 words by which it was trained, as in the published number."""

    length: int = 20

    def build(self) -> nn.Module:
        """The model."""
        return ElmoModel()

    def example(self, batch: int) -> Tensor:
        """Words of 50 characters."""
        return torch.zeros(batch, self.length, 50, dtype=torch.long)

    def read(self) -> int:
        """Words read at a time."""
        return self.length

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Anything that reaches all weights: the softmax is not counted."""
        return model(batch).square().mean()


GPT1 = "Radford et al. 2018, Improving language understanding by generative pre-training"
GPT2 = "Radford et al. 2019, Language models are unsupervised multitask learners, and the code that came with it"
BERT = "Devlin et al. 2019, arXiv:1810.04805, appendix A.2"
VASWANI = "Vaswani et al. 2017, arXiv:1706.03762, sections 5.1 and 5.2, tables 2 and 3"
AWD = "Merity et al. 2018, arXiv:1708.02182"
BERT_TOKENS = 256 * (900_000 * 128 + 100_000 * 512)

MODELS: dict[str, Published] = {
    "AWD-LSTM, Penn Treebank": AWDLSTM(AWD, "24M", None, 10_000),
    "AWD-LSTM, WikiText-2": AWDLSTM(AWD, "33M", None, 33_278),
    "Transformer base": Translator(VASWANI, "65 ×10⁶", 100_000 * 25_000.0, 37_000, 512, 8, 2_048),
    "Transformer big": Translator(VASWANI, "213 ×10⁶", 300_000 * 25_000.0, 37_000, 1_024, 16, 4_096),
    "ELMo": Elmo(
        "Peters et al. 2018, arXiv:1802.05365; the number of weights as its authors' library lists it", "93.6M", None
    ),
    "GPT": GPT(GPT1, "116,534,784", None, 40_478, 512, 768, 12, 12, norm="post"),
    "BERT base": Bert(BERT, "109,482,240", BERT_TOKENS, 30_522, 512, 768, 12, 12),
    "BERT large": Bert(BERT, "335,141,888", BERT_TOKENS, 30_522, 512, 1_024, 16, 24),
    "GPT-2 small": GPT(GPT2, "124,439,808", None, 50_257, 1_024, 768, 12, 12),
    "GPT-2 medium": GPT(GPT2, "354,823,168", None, 50_257, 1_024, 1_024, 16, 24),
    "GPT-2 large": GPT(GPT2, "774,030,080", None, 50_257, 1_024, 1_280, 20, 36),
    "GPT-2 XL": GPT(GPT2, "1,557,611,200", None, 50_257, 1_024, 1_600, 25, 48),
    "Llama 7B": Llama(
        "Touvron et al. 2023, arXiv:2302.13971, table 2",
        "6,738,415,616",
        1e12,
        32_000,
        2_048,
        4_096,
        32,
        32,
        32,
        11_008,
    ),
    "Llama 3 8B": Llama(
        "Grattafiori et al. 2024, arXiv:2407.21783, table 3",
        "8,030,261,248",
        15e12,
        128_256,
        8_192,
        4_096,
        32,
        32,
        8,
        14_336,
    ),
}
"""By name, in the order of their papers."""


@dataclass(frozen=True)
class Counted:
    """A model, what one example costs, and what all of its training did."""

    name: str
    model: Published
    cost: Cost

    @property
    def a_token(self) -> float:
        """Operations for each token that is read, forward and back."""
        return self.cost.flops / self.model.read()

    @property
    def rule(self) -> float:
        """The same by the rule of thumb: 6 for each weight."""
        return 6.0 * self.cost.parameters

    @property
    def training(self) -> float | None:
        """Operations of all its training, where it is known how long that was."""
        return None if self.model.tokens is None else self.model.tokens * self.a_token


@checked
def counted(name: str, batch: Positive = 1) -> Counted:
    """Build a published model on meta, take a step on `batch` examples, and count; seconds for the largest."""
    if name not in MODELS:
        raise ValueError(f"name: got {name!r}, expected one of {', '.join(MODELS)}")
    one = MODELS[name]
    return Counted(name, one, cost(on_meta(one.build), one.loss, on_meta(lambda: one.example(batch))))


HEAD = (
    "model",
    "weights",
    "as published",
    "operations a token",
    "6 × weights",
    "GiB, Adam",
    "GiB an example",
    "training",
)


@checked
def costs(*names: str) -> list[tuple[str, ...]]:
    """Rows of text under HEAD for these models, for all without a name."""
    rows = []
    for name in names or MODELS:
        found = counted(name)
        cost, training = found.cost, found.training
        rows.append(
            (
                name,
                f"{cost.parameters:,}",
                found.model.says,
                f"{found.a_token:.3g}",
                f"{found.rule:.3g}",
                f"{(cost.memory - cost.activations) / 2**30:.3g}",
                f"{cost.activations / 2**30:.3g}",
                "—" if training is None else f"{training:.2g}, {days(training)} days",
            )
        )
    return rows


def main() -> int:
    """Print the table."""
    rows = [HEAD, *costs()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0]), *(map(str.rjust, row[1:], widths[1:]))]))
    print(f"Training: operations, and days of one device that sustains {SUSTAINED:.0e} a second.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
