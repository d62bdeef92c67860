"""The three stages of ULMFiT: a language model on general English, on film reviews, and a classifier of them."""

import copy
import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

import safetensors.torch
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from attend.core import files
from attend.core.expect import expect, recipe
from attend.core.types import DropRate, NonNegative, Plural, Positive, PositiveFloat
from attend.recipes import WEIGHTS
from attend.tasks import reviews, senses, snippets
from attend.train.fit import fit
from attend.transformers.ulmfit import AWDLSTM, TextClassifier, concat_pool, slanted

DATA = ("recipes/weights/ulmfit.safetensors",)
FILE = WEIGHTS / "ulmfit.safetensors"
TUNED_ON = (100, 101)
Part = Literal["train", "validation", "test"]
Text = Literal["general", "films"]
Task = Literal["opinion", "order"]
V = 2_000
BETAS = (0.7, 0.99)
"""Adam's, as in the paper."""


@cache
def sentences(text: Text, part: Part) -> tuple[tuple[str, ...], ...]:
    """Texts as words: film reviews, or what has nothing to do with them (WordNet's examples, shops, editorials)."""
    films = tuple(tuple(reviews.words(one.text)) for one in reviews.load(part))
    if text == "films":
        return films
    others = snippets.load(part)[len(films) :]
    return (*(one.words for one in senses.load(part)), *(tuple(reviews.words(one)) for one in others))


@cache
def vocabulary() -> tuple[str, ...]:
    """The most frequent words of the training reviews, after unknown and the edge, which stands before every text."""
    return senses.vocabulary(list(sentences("films", "train")), 1)[:V]


@cache
def encoded(text: Text, part: Part) -> tuple[Tensor, ...]:
    """The tokens of each text, the edge first."""
    return tokens_of(sentences(text, part))


def tokens_of(texts: Iterable[tuple[str, ...]]) -> tuple[Tensor, ...]:
    """The tokens of each text, the edge first."""
    known = {word: token for token, word in enumerate(vocabulary())}
    rows = ([senses.EDGE, *(known.get(word, senses.UNKNOWN) for word in words)] for words in texts)
    return tuple(torch.tensor(row) for row in rows)


def pieces(texts: tuple[Tensor, ...], B: int, T: int, seed: int) -> Iterator[tuple[Tensor, Tensor, bool]]:
    """Endless: the texts in a new order each time, cut into B long rows, T tokens of each at a time.

    Yields tokens and next tokens, (B, T) each, and whether a new order begins here: else the state goes on.
    """
    generator = torch.Generator().manual_seed(1_000 + seed)
    while True:
        row = torch.cat([texts[n] for n in torch.randperm(len(texts), generator=generator).tolist()])
        length = (len(row) - 1) // B
        x, y = row[: B * length].view(B, length), row[1 : B * length + 1].view(B, length)
        for t in range(0, length, T):
            yield x[:, t : t + T], y[:, t : t + T], t == 0


def schedule(optimiser: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Slanted triangular rates whose peaks are the optimiser's."""
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: slanted(step, steps, 1.0))


@recipe
class LanguageModel:
    """AWD-LSTM on one of the two texts, 149,072 weights: stage one where it starts anew, stage two where it goes on.

    Of its training texts it reads one in `every`.
    """

    text: Text = "general"
    steps: Positive = 1_200
    rate: PositiveFloat = 1e-2
    dropout: DropRate = 0.1
    weight_drop: DropRate = 0.2
    d_model: Positive = 48
    hidden_size: Positive = 64
    vocab_size: Plural = V
    every: Positive = 1
    seed: NonNegative = 0

    def build(self) -> AWDLSTM:
        """The model at its start."""
        torch.manual_seed(self.seed)
        return AWDLSTM(self.vocab_size, self.d_model, self.hidden_size, 2, self.dropout, self.weight_drop)

    def train(self, start: AWDLSTM | None = None, callbacks=()) -> AWDLSTM:
        """Train a copy of `start`, or from the start."""
        model, past = self.build(), None
        if start is not None:
            model.load_state_dict(start.state_dict())

        def loss(model: AWDLSTM, batch: tuple[Tensor, Tensor, bool]) -> Tensor:
            nonlocal past
            tokens, following, fresh = batch
            past = None if fresh or past is None else [(h.detach(), c.detach()) for h, c in past]
            logits, past = model(tokens, past)
            return cross_entropy(logits.flatten(0, 1), following.flatten())

        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, betas=BETAS)
        fit(
            model,
            loss,
            pieces(encoded(self.text, "train")[:: self.every], 32, 50, self.seed),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"language model, {self.text}",
        )
        return model.eval()


@torch.no_grad()
def nats(model: AWDLSTM, text: Text, part: Part) -> float:
    """Nats a token on one part of a text, read in 20 long rows."""
    model.eval()
    row, past, total = torch.cat(encoded(text, part)), None, 0.0
    length = (len(row) - 1) // 20
    x, y = row[: 20 * length].view(20, length), row[1 : 20 * length + 1].view(20, length)
    for now, following in zip(x.split(100, dim=1), y.split(100, dim=1), strict=True):
        logits, past = model(now, past)
        total += cross_entropy(logits.flatten(0, 1), following.flatten(), reduction="sum").item()
    return total / x.numel()


def padded(rows: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Tokens (B, T) and the mask of what is there."""
    lengths = torch.tensor([[len(row)] for row in rows])
    T = int(lengths.max())
    tokens = torch.stack([pad(row, (0, T - len(row)), value=senses.EDGE) for row in rows])
    return tokens, torch.arange(T) < lengths


@cache
def examples(task: Task, part: Part) -> tuple[tuple[tuple[str, ...], ...], Tensor]:
    """The film reviews of a part as words, and a kind for each, 0 or 1.

    "opinion": 1 where the film is praised. "order": 1 where three times two neighbouring words changed places.
    """
    texts = sentences("films", part)
    if task == "opinion":
        return texts, torch.tensor([int(one.rating > 0) for one in reviews.load(part)])
    drawn = random.Random(f"order, {part}")
    kinds = [drawn.randrange(2) if len(words) > 1 else 0 for words in texts]
    return tuple(exchanged(words, drawn) if kind else words for words, kind in zip(texts, kinds, strict=True)), (
        torch.tensor(kinds)
    )


def exchanged(words: tuple[str, ...], drawn: random.Random) -> tuple[str, ...]:
    """The same words after three exchanges of two neighbours."""
    mixed = list(words)
    for _ in range(3):
        n = drawn.randrange(len(mixed) - 1)
        mixed[n : n + 2] = mixed[n + 1], mixed[n]
    return tuple(mixed)


@cache
def asked(task: Task, part: Part) -> tuple[tuple[Tensor, ...], Tensor]:
    """The tokens of each example of a task, and their kinds."""
    texts, kinds = examples(task, part)
    return tokens_of(texts), kinds


def dealt(task: Task, labels: int, seed: int) -> Tensor:
    """Which training reviews have a label: as many of each kind."""
    kind = examples(task, "train")[1]
    most = 2 * int(min(kind.sum(), (1 - kind).sum()))
    expect(labels % 2 == 0 and 0 < labels <= most, "labels", labels, f"an even number up to {most}")
    generator = torch.Generator().manual_seed(2_000 + seed)
    sides = [(kind == side).nonzero()[:, 0] for side in (0, 1)]
    return torch.cat([side[torch.randperm(len(side), generator=generator)[: labels // 2]] for side in sides])


LABELS = (100, 400, 2_000)
STEPS = {100: 160, 400: 240, 2_000: 480}
"""Numbers of labelled reviews, and the steps of 16 reviews that they are read in, whatever is compared."""
BEST = {True: 3e-2, False: 1e-2}
"""The rate of the top layer, layer by layer, and of all layers at once: the better of two each, by `tune`."""
PENALTY = {100: 4.0, 400: 30.0, 2_000: 30.0}
"""C of the logistic regression on counted words: the best of 1, 4, 10 and 30 over both tasks, by `tune`."""


@recipe
class Classify:
    """A classifier of reviews from `labels` of them, on a copy of a language model, 7,890 weights on top.

    `gradual` unfreezes a group of layers after the other, an eighth of the steps each, before all of them learn for the
    rest; each phase has a slanted triangle of its own. The rate of each group is that of the one above over `decay`.
    """

    task: Task = "opinion"
    labels: Positive = 400
    rate: PositiveFloat = 1e-2
    decay: PositiveFloat = 2.6
    gradual: bool = True
    steps: Positive = 240
    dropout: DropRate = 0.1
    seed: NonNegative = 0

    def phases(self) -> list[tuple[int, int]]:
        """How many groups learn, and for how many steps."""
        short = self.steps // 8
        return [(1, short), (2, short), (3, short), (4, self.steps - 3 * short)] if self.gradual else [(4, self.steps)]

    def train(self, language: AWDLSTM) -> TextClassifier:
        """Train a classifier on a copy of `language`."""
        torch.manual_seed(self.seed)
        model = TextClassifier(copy.deepcopy(language).requires_grad_(True), dropout=self.dropout)
        (tokens, kind), rows = asked(self.task, "train"), dealt(self.task, self.labels, self.seed)

        def batches() -> Iterator[tuple[Tensor, Tensor, Tensor]]:
            generator = torch.Generator().manual_seed(3_000 + self.seed)
            while True:
                for some in rows[torch.randperm(len(rows), generator=generator)].split(16):
                    if len(some) > 1:  # a batch of one has no variance for BatchNorm
                        yield *padded([tokens[n] for n in some.tolist()]), kind[some]

        def loss(model: TextClassifier, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
            tokens, mask, kind = batch
            return cross_entropy(model(tokens, mask), kind)

        groups, endless = model.groups(), batches()
        for count, steps in self.phases():
            for n, group in enumerate(groups):
                group.requires_grad_(n < count)
            rates = [
                {"params": list(group.parameters()), "lr": self.rate / self.decay**n}
                for n, group in enumerate(groups[:count])
            ]
            optimiser = torch.optim.Adam(rates, betas=BETAS)
            plan = schedule(optimiser, steps)
            fit(model, loss, endless, steps=steps, optimiser=optimiser, schedule=plan, clip=1.0, label="reviews")
        return model.eval()


@torch.no_grad()
def accuracy(model: TextClassifier, task: Task, part: Part) -> float:
    """The share of one part's reviews that are named right."""
    model.eval()
    (rows, kinds), right = asked(task, part), 0
    order = torch.tensor([len(row) for row in rows]).argsort()
    for some in order.split(200):  # texts of like length together
        logits = model(*padded([rows[n] for n in some.tolist()]))
        right += (logits.argmax(1) == kinds[some]).sum().item()
    return right / len(rows)


@torch.no_grad()
def pooled(language: AWDLSTM, task: Task, part: Part) -> Tensor:
    """What concat pooling makes of the frozen states of each review, (N, 3 D)."""
    language.eval()
    rows, _ = asked(task, part)
    order, found = torch.tensor([len(row) for row in rows]).argsort(), torch.zeros(len(rows), 0)
    for some in order.split(200):
        tokens, mask = padded([rows[n] for n in some.tolist()])
        states, _ = language.states(tokens)
        vectors = concat_pool(states, mask)
        if not found.numel():
            found = vectors.new_zeros(len(rows), vectors.shape[1])
        found[some] = vectors
    return found


SECOND = 150
"""Steps on the film reviews, with general text before them or without; rates were chosen with 500."""


def fine_tuned(seed: int) -> AWDLSTM:
    """Stage two: the page's language model after the film reviews, too."""
    return LanguageModel("films", SECOND, 5e-3, seed=seed).train(trained())


def films_alone(seed: int) -> AWDLSTM:
    """Stage two without stage one before it."""
    return LanguageModel("films", SECOND, seed=seed).train()


def trained() -> AWDLSTM:
    """The language model of the page after stage one, from the weights of the package."""
    packed, model = safetensors.torch.load(files.read(FILE)), LanguageModel().build()
    model.load_state_dict({name: packed[name] * packed[f"{name}.scale"].float() for name in model.state_dict()})
    return model.eval()


def pack(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Whole numbers from -127 to 127 by name, and for each row of them what they are to be multiplied by."""
    packed = {}
    for name, value in weights.items():
        scale = value.abs().amax(dim=-1, keepdim=True).clamp(min=1e-4) / 127
        packed |= {name: (value / scale).round().to(torch.int8), f"{name}.scale": scale.half()}
    return packed


def export() -> None:
    """Train stage one and write its weights, a byte for each number."""
    files.write(FILE, safetensors.torch.save(pack(LanguageModel(seed=100).train().state_dict())))


def word_counts(task: Task, labels: int, seed: int, part: Part, C: float | None = None) -> float:
    """The share of one part's reviews that TF-IDF of words and pairs and logistic regression name right."""
    texts, kinds = examples(task, "train")
    rows = dealt(task, labels, seed)
    counter = TfidfVectorizer(
        tokenizer=str.split, token_pattern=None, lowercase=False, ngram_range=(1, 2), sublinear_tf=True
    )
    columns = counter.fit_transform([" ".join(texts[n]) for n in rows.tolist()])
    fitted = LogisticRegression(C=C or PENALTY[labels], solver="liblinear").fit(columns, kinds[rows].numpy())
    texts, kinds = examples(task, part)
    return fitted.score(counter.transform([" ".join(words) for words in texts]), kinds.numpy())


def tune() -> None:
    """Print the share of validation reviews named right: two rates for each way to train, four penalties."""
    tasks: tuple[Task, ...] = ("order", "opinion")
    for seed in TUNED_ON:
        made = {"both": fine_tuned(seed), "neither": LanguageModel(seed=seed).build().eval()}
        for task in tasks:
            for name, language in made.items():
                for gradual, rates in ((True, (1e-2, 3e-2)), (False, (3e-3, 1e-2))):
                    for rate in rates:
                        one = Classify(task, 400, rate, 2.6 if gradual else 1.0, gradual, STEPS[400], seed=seed)
                        share = accuracy(one.train(language), task, "validation")
                        way = "gradual" if gradual else "at once"
                        print(f"{seed} {task} {name} {way} {rate:g}: {share:.4f}", flush=True)
    for task in tasks:
        for labels in LABELS:
            for C in (1.0, 4.0, 10.0, 30.0):
                runs = [word_counts(task, labels, seed, "validation", C) for seed in TUNED_ON]
                print(f"{task} {labels} counted words, C = {C:g}: {sum(runs) / 2:.4f}", flush=True)
