"""Who finds the links that people drew between Greek and English verses: a table of words, and two kinds of attention.

Whole chapters are parted anew by each seed, into those that are learned from and those that judge. The chapters of the
validation part are in neither: on them rounds, smoothing, strength and learning rates were chosen.
"""

from collections.abc import Iterator
from functools import cache, cached_property

import torch
from torch import Tensor, nn

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.soft import lexicon
from attend.soft.aligner import Aligner, posterior
from attend.soft.read import AttentionSeq2Seq
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import verses
from attend.tasks.pairs import Pairs, cost, cropped
from attend.train.fit import fit
from attend.train.schedule import one_cycle

TUNED_ON = (100, 101)
GREEK, ENGLISH = 8_000, 4_000
"""Entries of the vocabularies of the table: more than there are words, so that every training word has its own."""
ROUNDS, SMOOTHING, STRENGTH = 5, 1e-3, 10.0
"""Rounds of EM, what is added to counts, and the pull of the diagonal, as they did best on the validation part."""
RATES = (5e-3, 1e-2, 2e-2)
"""Adam's learning rates that were tried for the aligner, with a seed of TUNED_ON."""
TRIED = {
    True: ((600, 2e-3), (600, 8e-3), (600, 2e-2), (1_500, 4e-3)),
    False: ((600, 8e-3), (600, 2e-2), (1_500, 4e-3)),
}
"""Steps and learning rates that were tried for the translators, with attention and without, with that seed."""


class Division:
    """Verses to learn from and verses that judge, as tokens, and what both tables make of them."""

    def __init__(self, train: tuple[verses.Verse, ...], test: tuple[verses.Verse, ...]):
        self.train_verses, self.test_verses = train, test
        self._pairs: dict[tuple[str, int, int], Pairs] = {}

    def pairs(self, part: str, greek: int = GREEK, english: int = ENGLISH) -> Pairs:
        """The "train" or the "test" verses as tokens of vocabularies of this size."""
        key = part, greek, english
        if key not in self._pairs:
            known = (verses.frequent(self.train_verses, *one) for one in (("greek", greek), ("english", english)))
            self._pairs[key] = verses.encode(self.train_verses if part == "train" else self.test_verses, *known)
        return self._pairs[key]

    @cached_property
    def gold(self) -> Tensor:
        """The links that people drew in the verses that judge."""
        return verses.gold(self.test_verses)

    def error(self, weights: Tensor) -> float:
        """The alignment error rate of weights on the verses that judge."""
        return verses.alignment_error_rate(verses.chosen(weights, self.pairs("test")), self.gold)

    def diagonal(self, part: str) -> Tensor:
        """The scores of the diagonal."""
        pairs = self.pairs(part)
        return lexicon.diagonal_scores(pairs.mask, pairs.asked, STRENGTH)

    def learned(self, prior: Tensor | None = None) -> Tensor:
        """The table after `ROUNDS` rounds of EM over the training verses; `prior` as in `e_step`."""
        source, mask, target, asked = self.pairs("train")
        table = lexicon.uniform_table(ENGLISH, GREEK)
        for _ in range(ROUNDS):
            weights = lexicon.e_step(table, source, target, mask, prior)
            table = lexicon.m_step(weights, source, target, asked, table, SMOOTHING)
        return table

    @cached_property
    def table(self) -> Tensor:
        """The table that was learned with the diagonal."""
        return self.learned(self.diagonal("train"))

    def said(self, part: str) -> Tensor:
        """What that table says of each pair of words."""
        pairs = self.pairs(part)
        return lexicon.pair_probs(self.table, pairs.source, pairs.target)


@cache
def divided(seed: int) -> Division:
    """A fifth of the chapters, drawn by `seed`, judges. The seeds of TUNED_ON are judged by the validation part."""
    if seed in TUNED_ON:
        return Division(verses.load("train"), verses.load("validation"))
    both = verses.load("train") + verses.load("test")
    chapters = sorted({verse.name.split(":")[0] for verse in both})
    order = torch.randperm(len(chapters), generator=torch.Generator().manual_seed(seed)).tolist()
    judging = {chapters[n] for n in order[: len(chapters) // 5]}
    parts = ([verse for verse in both if (verse.name.split(":")[0] in judging) == judges] for judges in (False, True))
    return Division(*map(tuple, parts))


def _rows(lengths: Tensor, B: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Endless batches of B verses of much the same length."""
    order = lengths.argsort()
    while True:
        start = torch.randint(len(order) - B + 1, (), generator=generator)
        yield order[start : start + B]


def _fit(model: nn.Module, loss, pairs: Pairs, recipe, seed: int) -> nn.Module:
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
    fit(
        model,
        loss,
        _rows(pairs.asked.sum(1), recipe.batch, torch.Generator().manual_seed(seed)),
        steps=recipe.steps,
        optimiser=optimiser,
        schedule=one_cycle(optimiser, recipe.steps),
        clip=1.0,
        label="reading verses",
    )
    return model.eval()


def _cut(pairs: Pairs, rows: Tensor) -> Pairs:
    return cropped(Pairs(*(column[rows] for column in pairs)))


@recipe
class AlignerRecipe:
    """The aligner: small vocabularies for where to look, the whole table for what is found there."""

    greek: Positive = 800
    english: Positive = 600
    D: Positive = 32
    H: Positive = 48
    batch: Positive = 32
    steps: Positive = 1_500
    learning_rate: PositiveFloat = 1e-2
    seed: Seed = 0

    def train(self) -> Aligner:
        """Train from the start on what `divided` gives for the seed."""
        torch.manual_seed(self.seed)
        of, model = divided(self.seed), Aligner(self.greek, self.english, self.D, self.H)
        pairs, said = of.pairs("train", self.greek, self.english), of.said("train")

        def loss(model: Aligner, rows: Tensor) -> Tensor:
            source, mask, target, asked = _cut(pairs, rows)
            weights = model(source, mask, target)
            return lexicon.cross_entropy(said[rows, : weights.shape[1], : weights.shape[2]], weights, asked)

        return _fit(model, loss, pairs, self, 1_000 + self.seed)

    @torch.no_grad()
    def weights(self, model: Aligner) -> dict[str, Tensor]:
        """Where `model` looks `before` and `after` it sees each word of the verses that judge."""
        of = divided(self.seed)
        source, mask, target, _ = of.pairs("test", self.greek, self.english)
        before, whole = model(source, mask, target), of.pairs("test")
        return {"before": before, "after": posterior(before, of.table, whole.source, whole.target, whole.mask)}


class _Level(nn.Module):
    """Scores that are all alike: attention that weighs all words the same."""

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries.new_zeros(len(keys), queries.shape[1], keys.shape[1])


@recipe
class TranslatorRecipe:
    """A translator of verses, with attention or without, taught the usual way: to say the next word."""

    attention: bool = True
    greek: Positive = 2_000
    english: Positive = 1_500
    D: Positive = 48
    H: Positive = 64
    batch: Positive = 32
    steps: Positive = 600
    learning_rate: PositiveFloat = 2e-3
    seed: Seed = 0

    def train(self) -> Seq2Seq:
        """Train from the start on what `divided` gives for the seed."""
        kind = AttentionSeq2Seq if self.attention else Seq2Seq
        generator = torch.Generator().manual_seed(self.seed)
        model = fast(kind(self.greek, self.english, self.D, self.H, end=verses.END, generator=generator))
        pairs = divided(self.seed).pairs("train", self.greek, self.english)

        def loss(model: Seq2Seq, rows: Tensor) -> Tensor:
            source, mask, target, asked = _cut(pairs, rows)
            return cost(model(source, mask, target).logits, target, asked)

        return _fit(model, loss, pairs, self, 1_000 + self.seed)

    @torch.no_grad()
    def measure(self, model: Seq2Seq) -> dict[str, float]:
        """Nats a word on the verses that judge.

        With attention also with uniform weights in the place of its own, and the error rate of its weights for the
        word that comes next ("before") and for the one that came last ("a step later").
        """
        of = divided(self.seed)
        source, mask, target, asked = of.pairs("test", self.greek, self.english)
        logits, weights = model(source, mask, target)
        found = {"nats": cost(logits, target, asked).item()}
        if weights is None:
            return found
        score, model.score = model.score, _Level()
        level = model(source, mask, target).logits
        model.score = score
        later = torch.cat([weights[:, 1:], weights[:, -1:]], dim=1)
        return found | {
            "nats, uniform weights": cost(level, target, asked).item(),
            "before": of.error(weights),
            "a step later": of.error(later),
        }
