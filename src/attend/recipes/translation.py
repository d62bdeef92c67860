"""Translators of numbers of up to 15 digits, with attention and with a fixed context, trained on short or on all."""

from collections.abc import Iterator
from functools import cache
from typing import Literal

import torch
from sacrebleu.metrics import BLEU
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.soft.decode import greedy
from attend.soft.translation import FixedContext, Translator, needs_attention
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/translation.*",)
BINS = ("1-4", "5-9", "10-14", "15-19", "20-24", "25-29")
"""The lengths of sources, in English words."""

Kind = Literal["attention", "fixed"]
GROUPS = ((1, 5), (6, 9), (10, 12), (13, 16), (17, 23))
"""The lengths of sources on which translators are compared, in English words, first and last."""
EACH = 100
"""Test numbers of each of GROUPS."""
SHORT, ALL = 12, 23
"""The longest sources of a training, in words."""
SIZES: dict[str, tuple[int, int]] = {"attention": (24, 48), "fixed": (24, 50)}
"""Width of embeddings and of hidden states; so both have 37,000 weights."""
STEPS: dict[str, int] = {"attention": 400, "fixed": 800}
"""Steps of training. Two of "fixed" take longer than one of "attention"."""
GRID = (4e-3, 8e-3, 1.6e-2)
TUNED_ON = (100,)
RATE: dict[str, float] = {"attention": 1.6e-2, "fixed": 1.6e-2}
"""Adam's largest rate for each kind: the best of GRID on the validation part and the seed of TUNED_ON (`tune`)."""


@recipe
class TranslationRecipe:
    """The translator with attention on numbers of up to `digits` digits, `most` of each length."""

    seed: Seed = 0
    fast: bool = True
    steps: Positive = 800
    digits: Positive = 15
    most: Positive = 1_500
    batch: Positive = 64

    def build(self) -> Translator:
        """The model at initialisation: 36,822 weights."""
        return _built("attention", self.seed, self.fast)

    def train(self, callbacks=()) -> tuple[Translator, History]:
        """Train from the start; about 25 seconds of one processor for 800 steps."""
        stream = alike(encoded("train", self.digits, self.most), self.batch, _seeded(1_000 + self.seed))
        return _trained(self.build(), stream, self.steps, 8e-3, callbacks, "learning to translate")

    def load(self) -> Translator:
        """The trained model of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "translation.safetensors", TranslationRecipe().build()).eval()


@recipe
class LengthRecipe:
    """A translator with attention, or with a fixed context, trained on sources of at most `longest` words."""

    kind: Kind = "attention"
    longest: Positive = ALL
    seed: Seed = 0
    steps: Positive | None = None
    rate: PositiveFloat | None = None

    def build(self) -> Translator:
        """The model at initialisation."""
        return _built(self.kind, self.seed)

    def train(self, callbacks=()) -> Translator:
        """Train from the start; sources of every length come equally often."""
        stream = alike(_sparse("train", self.longest), 64, _seeded(1_000 + self.seed))
        steps, rate = self.steps or STEPS[self.kind], self.rate or RATE[self.kind]
        return _trained(self.build(), stream, steps, rate, callbacks, f"{self.kind}, up to {self.longest} words")[0]


def _built(kind: Kind, seed: int, quick: bool = True) -> Translator:
    D, H = SIZES[kind]
    model = Translator if kind == "attention" else FixedContext
    made = model(len(translation.ENGLISH), len(translation.GERMAN), D, H, translation.END, _seeded(seed))
    return fast(made) if quick else made


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _trained(model, stream, steps: int, rate: float, callbacks, label: str):
    """The model after `steps` steps of Adam, whose rate rises for a tenth of them and then falls to zero."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    history = fit(
        model,
        lambda model, batch: pairs.cost(
            model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
        ),
        stream,
        steps=steps,
        optimiser=optimiser,
        schedule=one_cycle(optimiser, steps),
        clip=1.0,
        callbacks=callbacks,
        label=label,
    )
    return model, history


@cache
def encoded(part: str, digits: int = 15, most: int = 1_500) -> Pairs:
    """The numbers of one part as tokens, encoded once."""
    return translation.encode(numbers.numbers(part, digits, most))


def words(n: int) -> int:
    """How many words a number has in English."""
    return len(numbers.english(n))


@cache
def _sparse(part: str, longest: int) -> Pairs:
    return translation.encode(tuple(n for n in translation.sparse(part) if words(n) <= longest))


@cache
def judging(part: str = "test") -> tuple[int, ...]:
    """Numbers to judge by, EACH of every group of GROUPS in turn, drawn at random."""
    of = translation.sparse(part)
    mixed = [of[i] for i in torch.randperm(len(of), generator=_seeded(0)).tolist()]
    chosen = [[n for n in mixed if low <= words(n) <= high] for low, high in GROUPS]
    each = min(EACH, *map(len, chosen))
    return tuple(n for group in chosen for n in group[:each])


def exact_by_group(model: Translator, part: str = "test") -> list[float]:
    """The share of the numbers of `judging` that are translated without a mistake, for each of GROUPS."""
    asked = translation.encode(judging(part))
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    right = pairs.exact(written, asked.target, asked.asked).double()
    return right.view(len(GROUPS), -1).mean(dim=1).tolist()


def alike(everything: Pairs, B: int, generator: torch.Generator, of: int = 8) -> Iterator[Pairs]:
    """Endless batches of B pairs of like length: `of` batches are drawn at once, sorted, and given in random order.

    So hardly a step is spent on padding (Bahdanau et al. 2014, appendix B.2).
    """
    for many in pairs.batches(everything, of * B, generator):
        rows = many.mask.sum(1).argsort().view(of, B)
        for group in torch.randperm(of, generator=generator).tolist():
            yield pairs.cropped(Pairs(*(column[rows[group]] for column in many)))


def by_length(values: Tensor, mask: Tensor) -> list[float]:
    """The mean of `values` (B) over the sources of each of `BINS`."""
    place = mask.sum(1) // 5
    return [round(values[place == bin].double().mean().item(), 4) for bin in range(len(BINS))]


def bleu(written: Tensor, target: Tensor) -> float:
    """BLEU from 0 to 100 (sacrebleu), German tokens taken as words."""
    said, wanted = ([translation.spell(row).replace("·", " ") for row in rows] for rows in (written, target))
    return round(BLEU(tokenize="none").corpus_score(said, [wanted]).score, 2)


@torch.no_grad()
def aligned(model: Translator, of: tuple[int, ...]) -> dict[str, float]:
    """Over the tokens that say an English word: how often the largest weight stands on it.

    Apart for the tokens where attention is `needed`, whose `share` is given, and for those where it is `not needed`.
    """
    asked, origin = translation.encode(of), translation.origins(of)
    weights = model(asked.source, asked.mask, asked.target).weights
    right = translation.on_the_right_word(weights, origin).double()
    needed = needs_attention(model, asked.source, asked.mask, asked.target)[origin != translation.NOWHERE]
    found = {"needed": right[needed].mean(), "not needed": right[~needed].mean(), "share": needed.double().mean()}
    return {name: share.item() for name, share in found.items()}


def tune() -> None:
    """Print the shares of validation numbers without a mistake for each kind and rate, trained on all lengths."""
    for kind in SIZES:
        for rate in GRID:
            shares = exact_by_group(LengthRecipe(kind, seed=TUNED_ON[0], rate=rate).train(), "validation")
            print(kind, rate, [round(share, 2) for share in shares], f"{sum(shares) / len(shares):.3f}", flush=True)


def export() -> None:
    """Train the translator of the live figure and write its weights; about half a minute."""
    model, _ = TranslationRecipe().train()
    save(WEIGHTS / "translation.safetensors", model, dtype=torch.float16)


if __name__ == "__main__":
    tune()
