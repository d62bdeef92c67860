"""Forward and backward language models on the examples of WordNet and on film reviews, read without their labels."""

import copy
from collections.abc import Iterator, Sequence
from functools import cache

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.tasks import reviews, senses
from attend.train.fit import fit
from attend.transformers.elmo import BiLM

TUNED_ON = (100,)
"""The seed that was looked at before the claims were declared. Of learning rates, 1e-2 alone was tried to the end."""


@cache
def texts(part: str) -> tuple[tuple[str, ...], ...]:
    """The sentences of both sources, as words."""
    general = [one.words for one in senses.load(part)]
    return (*general, *(tuple(reviews.words(one.text)) for one in reviews.load(part)))


@cache
def vocabulary(V: int) -> tuple[str, ...]:
    """The V most frequent entries of the training sentences, unknown and edge included."""
    return senses.vocabulary(list(texts("train")), 1)[:V]


@recipe
class ElmoRecipe:
    """The model of the page, 268,764 weights, after `steps` batches of sentences that are about equally long."""

    seed: NonNegative = 0
    V: Positive = 4_000
    d_model: Positive = 48
    num_targets: Positive = 1_500
    batch: Positive = 64
    steps: Positive = 1_200
    learning_rate: PositiveFloat = 1e-2

    def build(self) -> BiLM:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        return BiLM(self.V, self.d_model, num_targets=self.num_targets)

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless batches of training sentences; those of about one length stand together."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        words, sentences = vocabulary(self.V), texts("train")
        lengths = torch.tensor([float(len(one)) for one in sentences])
        while True:
            order = (lengths + 2 * torch.rand(len(sentences), generator=generator)).argsort()
            groups = order.split(self.batch)
            for n in torch.randperm(len(groups), generator=generator).tolist():
                yield senses.encode([sentences[i] for i in groups[n].tolist()], words)

    def train(self, callbacks=()) -> BiLM:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        fit(
            model,
            lambda model, batch: model.loss(*batch),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(
                optimiser, self.learning_rate, total_steps=self.steps + 1, pct_start=0.1
            ),
            clip=1.0,
            label=f"two language models, seed {self.seed}",
            callbacks=callbacks,
        )
        return model.eval().requires_grad_(False)


@torch.no_grad()
def nats(model: BiLM, sentences: Sequence[tuple[str, ...]]) -> float:
    """Nats a word of both directions, on some sentences."""
    words, total = vocabulary(model.vocab_size), 0.0
    for n in range(0, len(sentences), 200):
        some = list(sentences[n : n + 200])
        tokens, mask = senses.encode(some, words)
        total += model.loss(tokens, mask).item() * int(mask[:, 1:].sum())
    return total / sum(1 + len(one) for one in sentences)


def with_random_lstms(model: BiLM, seed: int) -> BiLM:
    """The same vectors of the words below LSTMs that were never trained."""
    torch.manual_seed(2_000 + seed)
    made = copy.deepcopy(model)
    for lstm in (*made.ahead, *made.back):
        lstm.reset_parameters()
    return made.eval()


@torch.no_grad()
def layers_at(model: BiLM, examples: Sequence[senses.Example]) -> Tensor:
    """All layers at the marked word of each example, (L + 1, N, 2 D)."""
    words, found = vocabulary(model.vocab_size), []
    for n in range(0, len(examples), 200):
        some = examples[n : n + 200]
        layers = model(*senses.encode([one.words for one in some], words))
        found.append(layers[:, torch.arange(len(some)), torch.tensor([1 + one.place for one in some])])
    return torch.cat(found, dim=1)


@torch.no_grad()
def neighbours(model: BiLM, examples: Sequence[senses.Example]) -> Tensor:
    """The static vectors of the marked word and of the words beside it, (N, 3 D)."""
    words = vocabulary(model.vocab_size)
    tokens, _ = senses.encode([one.words for one in examples], words)
    place = torch.tensor([[one.place + n for n in range(3)] for one in examples])
    return model.token(tokens.gather(1, place)).flatten(1)


@torch.no_grad()
def pooled(model: BiLM, sentences: Sequence[tuple[str, ...]]) -> Tensor:
    """The mean of all layers over the words of each sentence, edges left out, (L + 1, N, 2 D)."""
    words, found = vocabulary(model.vocab_size), []
    for n in range(0, len(sentences), 200):
        tokens, mask = senses.encode(list(sentences[n : n + 200]), words)
        inner = torch.zeros_like(mask)
        inner[:, 1:-1] = mask[:, 2:]
        share = inner / inner.sum(dim=1, keepdim=True)
        found.append(torch.einsum("bt,lbtd->lbd", share, model(tokens, mask)))
    return torch.cat(found, dim=1)
