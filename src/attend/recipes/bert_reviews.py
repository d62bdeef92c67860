"""BERT on real text: masked tokens of snippets of English, then a few rated reviews, as GPT's page asks of GPT.

Texts, byte pairs, labelled reviews, steps and batches are those of attend.recipes.gpt, so that the numbers can stand
beside GPT's. No next sentences: a snippet is often a single one.
"""

from collections.abc import Iterator
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import DropRate, NonNegative, Positive, PositiveFloat
from attend.recipes import gpt
from attend.train.fit import fit
from attend.transformers.bert import Bert, hide

PAD, CLS, SEP, MASK, FIRST = range(5)
"""The special tokens, and the number of the first byte pair."""
V, T = FIRST + gpt.V, gpt.CONTEXT
TUNED_ON = (100,)
PRE_RATES = (3e-3, 6e-3, 1.2e-2)
TUNE_RATES = (3e-4, 1e-3, 3e-3, 6e-3)
READS = ("[CLS]", "mean")
"""What the classifier reads: the vector of [CLS], or the mean of all vectors."""


def shifted(tokens: Tensor) -> Tensor:
    """GPT's tokens, numbered behind the special ones; the end of a text becomes [SEP]."""
    return torch.where(tokens == gpt.END, SEP, tokens + FIRST)


@recipe
class BertOnSnippets:
    """Pre-training: `steps` steps of `batch` windows of 79 tokens behind [CLS]; 15 % of the tokens are asked for."""

    seed: NonNegative = 0
    steps: Positive = 1_500
    batch: Positive = 16
    rate: PositiveFloat = 6e-3
    dropout: DropRate = 0.0

    def build(self) -> Bert:
        """The model at its start."""
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            return Bert(V, 48, 4, 2, T, self.dropout)

    def batches(self, text: Tensor, generator: torch.Generator) -> Iterator[Tensor]:
        """Endless windows from anywhere in the text."""
        while True:
            start = torch.randint(len(text) - T, (self.batch, 1), generator=generator)
            yield framed(text[start + torch.arange(T - 1)])

    def train(self) -> Bert:
        """Train from the start."""
        model, generator = self.build(), torch.Generator().manual_seed(1_000 + self.seed)
        optimiser = torch.optim.AdamW(model.parameters(), lr=self.rate, weight_decay=0.1)
        fit(
            model,
            lambda model, tokens: masked_loss(model, tokens, generator),
            self.batches(shifted(gpt.stream("train")), generator),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, self.rate, total_steps=self.steps, pct_start=0.1),
            clip=1.0,
            label="masked snippets",
        )
        return model.eval()


def framed(window: Tensor) -> Tensor:
    """[CLS] in front of every row."""
    return torch.cat([torch.full_like(window[:, :1], CLS), window], dim=1)


def masked_loss(model: Bert, tokens: Tensor, generator: torch.Generator) -> Tensor:
    """Nats a hidden token."""
    seen, chosen = hide(tokens, V, MASK, FIRST, generator=generator)
    return cross_entropy(model.words(model(seen, torch.zeros_like(seen))[chosen]), tokens[chosen])


@torch.no_grad()
def nats(model: Bert, part: str) -> float:
    """Nats a hidden token of 300 windows of one part."""
    rows = shifted(gpt.stream(part))[: 300 * (T - 1)].view(300, T - 1)
    return masked_loss(model, framed(rows), torch.Generator().manual_seed(0)).item()


@cache
def rated(part: str) -> tuple[Tensor, Tensor]:
    """The reviews of one part behind [CLS], with [SEP] and padding (B, T), and 1 for a positive one (B)."""
    tokens, last, kind = gpt.rated(part)
    tokens = shifted(tokens[:, : T - 1]).masked_fill(torch.arange(T - 1) > last[:, None], PAD)
    return framed(tokens), kind


class Judge(nn.Module):
    """A BERT and one new layer, which reads the vector of [CLS] or the mean of all that are no padding."""

    def __init__(self, encoder: Bert, reads: str):
        super().__init__()
        self.encoder, self.reads = encoder, reads
        self.output = nn.Linear(encoder.d_model, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of the two kinds."""
        hidden, real = self.encoder(tokens, torch.zeros_like(tokens)), tokens != PAD
        if self.reads == "mean":
            read = (hidden * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        else:
            read = self.encoder.pooler(hidden[:, 0])
        return self.output(read)


SIDES = ("pre-trained", "from scratch")
BEST: dict[str, dict[int, tuple[str, float]]] = {
    "pre-trained": {100: ("[CLS]", 3e-3), 400: ("[CLS]", 6e-3), 2_000: ("[CLS]", 3e-3)},
    "from scratch": {100: ("mean", 1e-3), 400: ("mean", 3e-3), 2_000: ("[CLS]", 3e-3)},
}
"""What is read and the learning rate, for each side and number of labels: the best on validation reviews (`tune`)."""


def fine_tuned(side: str, encoder: Bert, labels: int, seed: int, reads: str = "", rate: float = 0.0) -> Judge:
    """Fine-tune a copy of the encoder on so many rated reviews, in the steps of GPT's page, with dropout 0.1."""
    best, chosen = BEST[side][labels], gpt.chosen(labels, seed)
    reads, rate = reads or best[0], rate or best[1]
    fresh = BertOnSnippets(seed, dropout=0.1).build()
    fresh.load_state_dict(encoder.state_dict())
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Judge(fresh, reads)
    tokens, kind = rated("train")
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.1)
    steps = gpt.STEPS[labels]

    def batches() -> Iterator[Tensor]:
        generator = torch.Generator().manual_seed(3_000 + seed)
        while True:
            yield from chosen[torch.randperm(labels, generator=generator)].split(16)

    torch.manual_seed(seed)
    fit(
        model,
        lambda model, rows: cross_entropy(model(tokens[rows]), kind[rows]),
        batches(),
        steps=steps,
        optimiser=optimiser,
        schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1),
        clip=1.0,
        label=f"{side}, {labels} reviews",
    )
    return model.eval()


@torch.no_grad()
def right(model: Judge, part: str) -> float:
    """The share of one part's reviews that are named right."""
    tokens, kind = rated(part)
    said = torch.cat([model(some).argmax(1) for some in tokens.split(200)])
    return (said == kind).double().mean().item()


def tune() -> None:
    """Print validation loss by rate of pre-training, then validation reviews named right by what is read and rate."""
    for seed in TUNED_ON:
        found = {}
        for rate in PRE_RATES:
            model = BertOnSnippets(seed, rate=rate).train()
            found[rate] = nats(model, "validation"), model
            print(f"pre-training at {rate:g}: {found[rate][0]:.4f}", flush=True)
        best = min(found.values(), key=lambda one: one[0])[1]
        for labels in gpt.LABELS:
            for side in SIDES:
                encoder = best if side == "pre-trained" else BertOnSnippets(seed).build()
                for reads in READS:
                    shares = [
                        right(fine_tuned(side, encoder, labels, seed, reads, rate), "validation") for rate in TUNE_RATES
                    ]
                    print(labels, side, reads, *(f"{share:.4f}" for share in shares), flush=True)
