"""GPT pre-trained on snippets of English, fine-tuned on a few rated reviews, and trained in five sizes on the plays."""

import json
import math
from functools import cache
from typing import Literal

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core import files
from attend.core.expect import expect, recipe
from attend.core.types import DropRate, NonNegative, NonNegativeFloat, Plural, Positive, PositiveFloat
from attend.recipes import WEIGHTS
from attend.recipes.launch import LanguageModelRecipe
from attend.tasks import plays, reviews, snippets
from attend.train.checkpoint import load, save
from attend.train.fit import fit
from attend.transformers.byte_pairs import BytePairs, learn
from attend.transformers.gpt import GPT, Classifier

DATA = ("recipes/weights/gpt.safetensors", "recipes/weights/gpt_vocab.json")
FILE, VOCAB = WEIGHTS / "gpt.safetensors", WEIGHTS / "gpt_vocab.json"
TUNED_ON = (100,)
V, CONTEXT = 1_024, 80
END = V - 1
"""The token that stands behind every text; all others are byte pairs."""


@cache
def tokeniser() -> BytePairs:
    """The byte pairs that `export` learned from the training snippets."""
    return BytePairs([part.encode("latin-1") for part in json.loads(files.read(VOCAB))])


@cache
def stream(part: Literal["train", "validation", "test"]) -> Tensor:
    """The snippets of one part as one long row of tokens, END behind each."""
    encode = tokeniser().encode
    return torch.tensor([token for text in snippets.load(part) for token in (*encode(text), END)])


def windows(text: Tensor, B: int, T: int, seed: int):
    """Endless batches of B windows of T + 1 tokens from anywhere in `text`."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield text[torch.randint(len(text) - T, (B, 1), generator=generator) + torch.arange(T + 1)]


def language_loss(model: nn.Module, window: Tensor) -> Tensor:
    """Nats a token."""
    logits, _ = model(window[:, :-1])
    return cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())


def train_language(model: GPT, text: Tensor, *, B: int, T: int, steps: int, rate: float, seed: int, label: str) -> None:
    """The one way in which all language models of this page are trained."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    fit(
        model,
        language_loss,
        windows(text, B, T, 1_000 + seed),
        steps=steps,
        optimiser=optimiser,
        schedule=schedule,
        clip=1.0,
        label=label,
    )


@recipe
class GPTRecipe:
    """The language model of the page: pre-trained on 593,469 tokens of snippets; about a minute on one thread."""

    d_model: Positive = 48
    num_heads: Positive = 4
    num_layers: Positive = 2
    dropout: DropRate = 0.0
    steps: Positive = 1_500
    batch: Positive = 16
    rate: PositiveFloat = 6e-3
    seed: NonNegative = 0

    def build(self) -> GPT:
        """The model at its start."""
        torch.manual_seed(self.seed)
        return GPT(V, self.d_model, self.num_heads, self.num_layers, CONTEXT, self.dropout)

    def train(self) -> GPT:
        """Train from the start."""
        model = self.build()
        train_language(
            model,
            stream("train"),
            B=self.batch,
            T=CONTEXT,
            steps=self.steps,
            rate=self.rate,
            seed=self.seed,
            label="snippets",
        )
        return model.eval()


def trained() -> GPT:
    """The pre-trained model of the page, from the weights of the package."""
    return load(FILE, GPTRecipe().build()).eval().requires_grad_(False)


def export() -> None:
    """Learn the byte pairs, pre-train the model of the page, and write both."""
    vocab = learn("\n".join(snippets.load("train")), END)
    files.write(VOCAB, json.dumps([part.decode("latin-1") for part in vocab]).encode())
    for held in (tokeniser, stream, rated):
        held.cache_clear()
    save(FILE, GPTRecipe().train(), dtype=torch.float16)


@torch.no_grad()
def bits(model: GPT, part: Literal["train", "validation", "test"]) -> float:
    """Bits a character on the snippets of one part, read in windows of the context; ends of texts cost, too."""
    model.eval()
    text = stream(part)
    rows = text[: (len(text) - 1) // CONTEXT * CONTEXT].view(-1, CONTEXT)
    logits = torch.cat([model(some)[0] for some in rows.split(50)])
    nats = cross_entropy(logits.flatten(0, 1), text[1 : rows.numel() + 1]).item()
    return nats / math.log(2) * len(text) / sum(len(one) + 1 for one in snippets.load(part))


@cache
def rated(part: Literal["train", "validation", "test"]) -> tuple[Tensor, Tensor, Tensor]:
    """The reviews of one part: their last tokens and END (B, T), the place of END (B), and 1 for a positive one (B)."""
    rows = [[*tokeniser().encode(one.text)[1 - CONTEXT :], END] for one in reviews.load(part)]
    tokens = torch.full((len(rows), CONTEXT), END)
    for row, text in zip(tokens, rows, strict=True):
        row[: len(text)] = torch.tensor(text)
    last = torch.tensor([len(text) - 1 for text in rows])
    return tokens, last, torch.tensor([int(one.rating > 0) for one in reviews.load(part)])


def chosen(labels: int, seed: int) -> Tensor:
    """Which training reviews have a label: as many of each kind."""
    kind = rated("train")[2]
    most = 2 * int(min(kind.sum(), (1 - kind).sum()))
    expect(labels % 2 == 0 and 0 < labels <= most, "labels", labels, f"an even number up to {most}")
    generator = torch.Generator().manual_seed(2_000 + seed)
    sides = [(kind == side).nonzero()[:, 0] for side in (0, 1)]
    return torch.cat([side[torch.randperm(len(side), generator=generator)[: labels // 2]] for side in sides])


LABELS = (100, 400, 2_000)
STEPS = {100: 100, 400: 150, 2_000: 300}
"""Numbers of labelled reviews, and the steps of 16 reviews that they are read in."""
KINDS = {"from scratch": 0.0, "pre-trained": 0.0, "auxiliary": 0.5}
"""What is compared, and the weight of its auxiliary loss."""
BEST = {
    "from scratch": {100: 3e-3, 400: 3e-3, 2_000: 3e-3},
    "pre-trained": {100: 1e-3, 400: 3e-3, 2_000: 3e-3},
    "auxiliary": {100: 1e-3, 400: 3e-3, 2_000: 3e-3},
}
"""The better of the learning rates 0.001 and 0.003, for a model with learned positions and batches of 24."""
PENALTY = {100: 10.0, 400: 30.0, 2_000: 30.0}
"""C of the logistic regression on counted words: the best of 1, 4, 10 and 30."""


@recipe
class FineTune:
    """A classifier of reviews from `labels` of them, on a pre-trained GPT or one at its start (`gpt` None).

    `auxiliary` weighs the language-model loss on the same reviews. Every run takes `steps` steps of 16 reviews.
    """

    labels: Positive = 200
    auxiliary: NonNegativeFloat = 0.0
    steps: Positive = 200
    rate: PositiveFloat = 1e-3
    dropout: DropRate = 0.1
    seed: NonNegative = 0

    @classmethod
    def of(cls, kind: str, labels: int, seed: int, rate: float | None = None) -> "FineTune":
        """One of KINDS, as its learning rate was chosen."""
        expect(kind in KINDS, "kind", kind, f"one of {', '.join(KINDS)}")
        return cls(labels, KINDS[kind], STEPS[labels], rate or BEST[kind][labels], seed=seed)

    def train(self, gpt: GPT | None = None) -> Classifier:
        """Fine-tune a copy of `gpt`, or train from the start."""
        fresh = GPTRecipe(seed=self.seed, dropout=self.dropout).build()
        if gpt is not None:
            fresh.load_state_dict(gpt.state_dict())
        torch.manual_seed(self.seed)
        model = Classifier(fresh)
        tokens, last, kind = rated("train")
        rows = chosen(self.labels, self.seed)
        optimiser = torch.optim.AdamW(model.parameters(), lr=self.rate, weight_decay=0.1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.rate, total_steps=self.steps, pct_start=0.1)

        def loss(model: Classifier, batch: Tensor) -> Tensor:
            T = int(last[batch].max()) + 1
            classes, x = model(tokens[batch, :T], last[batch])
            total = cross_entropy(classes, kind[batch])
            if self.auxiliary:
                inside = torch.arange(T - 1) < last[batch, None]
                nats = cross_entropy(x[:, :-1][inside] @ model.gpt.token.weight.T, tokens[batch, 1:T][inside])
                total = total + self.auxiliary * nats
            return total

        def batches():
            generator = torch.Generator().manual_seed(3_000 + self.seed)
            while True:
                yield from rows[torch.randperm(len(rows), generator=generator)].split(16)

        fit(model, loss, batches(), steps=self.steps, optimiser=optimiser, schedule=schedule, clip=1.0, label="reviews")
        return model.eval()


@torch.no_grad()
def accuracy(model: Classifier, part: Literal["validation", "test"]) -> float:
    """The share of one part's reviews that are named right."""
    model.eval()
    tokens, last, kind = rated(part)
    right = 0
    for rows in last.argsort().split(100):  # texts of like length together
        logits, _ = model(tokens[rows, : int(last[rows].max()) + 1], last[rows])
        right += (logits.argmax(1) == kind[rows]).sum().item()
    return right / len(kind)


def tune() -> None:
    """Print the share of validation reviews named right, for two learning rates and four penalties."""
    for seed in TUNED_ON:
        gpt = GPTRecipe(seed=seed).train()
        for labels in LABELS:
            for kind in KINDS:
                for rate in (1e-3, 3e-3):
                    model = FineTune.of(kind, labels, seed, rate).train(None if kind == "from scratch" else gpt)
                    print(f"{labels:5} {kind:12} {rate:g}: {accuracy(model, 'validation'):.4f}", flush=True)
    for labels in LABELS:
        for C in (1.0, 4.0, 10.0, 30.0):
            runs = [word_counts(labels, seed, "validation", C) for seed in (100, 101, 102)]
            print(f"{labels:5} counted words, C = {C:g}: {sum(runs) / 3:.4f}", flush=True)


def word_counts(labels: int, seed: int, part: Literal["validation", "test"], C: float | None = None) -> float:
    """The share of one part's reviews that TF-IDF and logistic regression name right from the same reviews."""
    texts = [reviews.load("train")[row] for row in chosen(labels, seed).tolist()]
    counter = TfidfVectorizer(tokenizer=reviews.words, token_pattern=None, ngram_range=(1, 2), sublinear_tf=True)
    columns = counter.fit_transform([one.text for one in texts])
    fitted = LogisticRegression(C=C or PENALTY[labels], solver="liblinear").fit(
        columns, [one.rating > 0 for one in texts]
    )
    asked = reviews.load(part)
    return fitted.score(counter.transform([one.text for one in asked]), [one.rating > 0 for one in asked])


WIDTHS = (8, 16, 32, 64, 128)
"""Widths of the models on the plays, two blocks each: 2,264 to 404,864 weights."""
RATES = {8: 3e-2, 16: 3e-2, 32: 1.2e-2, 64: 1.2e-2, 128: 6e-3}
"""They fall as the width grows, as usual; `tune_sizes` tries half and twice of each."""


@recipe
class Capacity:
    """A GPT of one width on the letters of the plays, of which it may see one `part` in so many."""

    d_model: Positive = 64
    steps: Positive = 200
    part: Positive = 1
    rate: PositiveFloat | None = None
    seed: NonNegative = 0

    def build(self) -> GPT:
        """The model at its start; heads are 4, or of width 8 where that makes fewer."""
        torch.manual_seed(self.seed)
        heads = min(4, max(1, self.d_model // 8))
        return GPT(len(plays.ALPHABET), self.d_model, heads, 2, 64)

    def train(self) -> GPT:
        """Train from the start, on the first `part`-th of the training scenes."""
        model, text = self.build(), plays.stream("train")
        train_language(
            model,
            text[: len(text) // self.part],
            B=16,
            T=64,
            steps=self.steps,
            rate=self.rate or RATES[self.d_model],
            seed=self.seed,
            label=f"plays, width {self.d_model}",
        )
        return model.eval()


@torch.no_grad()
def plays_nats(model: GPT, part: Literal["train", "validation", "test"], rows: int = 1_000) -> float:
    """Nats a character on the first windows of 64 characters of one part of the plays."""
    text = plays.stream(part)
    seen = text[: rows * 64].view(-1, 64)
    logits = torch.cat([model(some)[0] for some in seen.split(100)])
    return cross_entropy(logits.flatten(0, 1), text[1 : seen.numel() + 1]).item()


def tune_sizes() -> None:
    """Print the validation loss of every width with three rates, from the seeds of TUNED_ON."""
    for width in WIDTHS:
        for factor in (0.5, 1.0, 2.0):
            for seed in TUNED_ON:
                rate = factor * RATES[width]
                nats = plays_nats(Capacity(width, rate=rate, seed=seed).train(), "validation")
                print(f"{width:4} {rate:g}: {nats:.4f}", flush=True)


@recipe
class SizedGPTRecipe(LanguageModelRecipe):
    """The model of the page at any size, on the training snippets; with `data`, on whatever tokens it holds.

    At GPT's size it has 116,143,104 weights, and GPT 116,534,784: ours learns no positions (393,216 fewer) and has one
    more norm, at the end (1,536 more).
    """

    vocab_size: Plural = V
    d_model: Positive = 48
    num_heads: Positive = 4
    num_layers: Positive = 2
    dropout: DropRate = 0.0

    def build(self) -> GPT:
        """The model at its start."""
        torch.manual_seed(self.seed)
        sizes = self.d_model, self.num_heads, self.num_layers, self.context
        return GPT(self.vocab_size, *sizes, self.dropout)

    def tokens(self) -> Tensor | np.ndarray:
        """The training snippets, where no file is given and the vocabulary is theirs."""
        if self.data is None and self.vocab_size == V:
            return stream("train")
        return super().tokens()

    def loss(self, model: nn.Module, batch: Tensor) -> Tensor:
        """Nats a token; the caches that the model returns are not needed."""
        return language_loss(model, batch)


SIZES = {
    "small": SizedGPTRecipe(context=CONTEXT, steps=1_500, warmup=150, weight_decay=0.1),
    # Radford et al. 2018, section 4.1: sizes, batch, rate, warm-up, decay and dropout. GPT read BooksCorpus 100 times;
    # how many tokens that has is not said. Devlin et al. 2019, section 3.1, count 800 million words: with one token for
    # each, the least there can be, 100 times 800 million in steps of 64 x 512.
    "paper": SizedGPTRecipe(
        batch=64,
        context=512,
        steps=2_441_000,
        rate=2.5e-4,
        warmup=2_000,
        weight_decay=0.01,
        vocab_size=40_478,
        d_model=768,
        num_heads=12,
        num_layers=12,
        dropout=0.1,
    ),
}
"""Ours, and GPT."""
