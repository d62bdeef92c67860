"""Parsers of English from a grammar and of Python expressions: the Transformer, and a GRU with attention beside it."""

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.recipes.translation import alike
from attend.soft.translation import Translator
from attend.tasks import expressions, grammar, pairs
from attend.tasks.pairs import Pairs
from attend.train.checkpoint import load, save
from attend.train.fit import fit
from attend.train.schedule import one_cycle
from attend.transformers.attention_weights import attention_weights
from attend.transformers.parser import END, WORD, brackets, f1, legal, linearise
from attend.transformers.translator import Transformer

DATA = ("recipes/weights/parser_*.safetensors",)
Language = Literal["english", "python"]
Kind = Literal["Transformer", "GRU"]
SYMBOLS = {"english": ("end", "•", ")", *(f"({label}" for label in grammar.LABELS)), "python": ("end", "•", ")", "(")}
"""What a parser writes, in the order of attend.transformers.parser.END, WORD, CLOSE and OPEN."""
COUNT = {"train": 12_000, "validation": 500, "test": 1_000}
"""Sentences of each part; of the expressions the first so many of a fixed random order."""
LONGER, LONG_COUNT = (11, 15), 300
"""Words of sentences that are longer than any that was trained on, and how many of these there are."""
MOST = 64
"""Symbols that a parser may write."""


class Trees(NamedTuple):
    """Trees of one language, as they are and as pairs of tokens and symbols."""

    trees: tuple[tuple, ...]
    pairs: Pairs


def words_of(language: Language) -> tuple[str, ...]:
    """What a parser reads."""
    return grammar.vocabulary() if language == "english" else expressions.vocabulary()


def encoded(language: Language, trees: Sequence[tuple]) -> Pairs:
    """Trees as pairs: their words, and the symbols that are to be written, `END` behind them."""
    word = {word: n for n, word in enumerate(words_of(language))}
    symbol = {symbol: n for n, symbol in enumerate(SYMBOLS[language])}
    source = pairs.padded([[word[one] for one in grammar.words(tree)] for tree in trees])
    target = pairs.padded([[symbol[one] for one in linearise(tree)] + [END] for tree in trees])
    return Pairs(*source, *target)


@cache
def data(
    language: Language,
    part: str,
    longer: bool = False,
    split: Literal["shapes", "texts"] = "shapes",
    count: int | None = None,
) -> Trees:
    """Trees of one part: of at most 10 words, or of LONGER; of all that there are the first `count`.

    Expressions are split by shape, or by their texts.
    """
    shortest, longest = LONGER if longer else (grammar.SHORTEST, grammar.LONGEST)
    most = LONG_COUNT if longer else COUNT[part]
    count = most if count is None else min(count, most)
    if language == "english":
        found = grammar.sentences(part, count, shortest, longest)
    else:
        every = expressions.apart(part) if split == "shapes" else expressions.load(part)
        order = torch.randperm(len(every), generator=torch.Generator().manual_seed(0)).tolist()
        trees = [expressions.tree(every[n].nested) for n in order]
        found = tuple(tree for tree in trees if shortest <= len(grammar.words(tree)) <= longest)[:count]
    return Trees(found, encoded(language, found))


TUNED_ON = (100,)
GRID: dict[tuple[Language, Kind], tuple[float, ...]] = {
    ("english", "Transformer"): (2.5e-3, 5e-3, 1e-2),
    ("english", "GRU"): (5e-3, 1e-2, 2e-2),
    ("python", "Transformer"): (5e-3, 1e-2, 2e-2),
    ("python", "GRU"): (1e-2, 2e-2, 4e-2),
}
"""Three rates for each side, a factor of two apart: those of which the middle one is the best."""
RATE = {side: rates[1] for side, rates in GRID.items()}
"""Adam's largest rate: the best by bracket F1, with legal brackets, on the validation part (`tune`)."""


@recipe
class ParserRecipe:
    """One parser of one language, trained on `count` trees of at most 10 words (where it is None, on all)."""

    language: Language = "english"
    kind: Kind = "Transformer"
    seed: Seed = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None
    count: Positive | None = None
    split: Literal["shapes", "texts"] = "shapes"

    def build(self) -> Transformer | Translator:
        """The model at initialisation."""
        generator = torch.Generator().manual_seed(self.seed)
        vocabularies = len(words_of(self.language)), len(SYMBOLS[self.language])
        if self.kind == "GRU":
            return fast(Translator(*vocabularies, 28, 54, END, generator))
        return fast(Transformer(*vocabularies, 32, 4, 64, 2, end=END, generator=generator))

    def train(self, callbacks=()) -> Transformer | Translator:
        """Train from the start: Adam, batches of 48 trees of like length, a rate that rises and falls to zero."""
        model = self.build()
        everything = data(self.language, "train", split=self.split, count=self.count).pairs
        rate = self.rate or RATE[self.language, self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
        fit(
            model,
            cost,
            alike(everything, 48, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label="learning to parse",
        )
        return model.eval()


def cost(model: Transformer | Translator, batch: Pairs) -> Tensor:
    """The cross-entropy of the symbols, in nats each."""
    logits = model(batch.source, batch.mask, batch.target)
    logits = logits if isinstance(model, Transformer) else logits.logits
    return cross_entropy(logits[batch.asked], batch.target[batch.asked])


@torch.no_grad()
def written(model: Transformer | Translator, asked: Pairs, constrained: bool = False, most: int = MOST) -> Tensor:
    """What either kind of model writes, symbol by symbol from its own (B, most); of the legal ones if `constrained`."""
    memory, num_words = model.read(asked.source, asked.mask), asked.mask.sum(1)
    state, tokens = model.start(memory), torch.full_like(asked.source[:, :1], END)
    for _ in range(most):
        logits, state, _ = model.step(tokens[:, -1], state, memory)
        if constrained:
            logits = logits.masked_fill(~legal(tokens, num_words, logits.shape[1], most), -torch.inf)
        best = logits.argmax(1).masked_fill((tokens[:, 1:] == END).any(1), END)
        tokens = torch.cat([tokens, best[:, None]], dim=1)
        if (tokens[:, 1:] == END).any(1).all():
            break
    return tokens[:, 1:]


def spelled(language: Language, row: Tensor) -> list[str]:
    """The symbols of one answer, up to its end."""
    symbols = [SYMBOLS[language][n] for n in row.tolist()]
    return symbols[: symbols.index("end")] if "end" in symbols else [*symbols, "end"]


def scores(language: Language, asked: Trees, answers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Bracket F1, the share of answers that are the whole tree, and of those that are a tree at all."""
    lengths = asked.pairs.mask.sum(1).tolist()
    gold = [brackets(linearise(tree), length) for tree, length in zip(asked.trees, lengths, strict=True)]
    guess = [brackets(answer, length) for answer, length in zip(answers, lengths, strict=True)]
    exact = [linearise(tree) == list(answer) for tree, answer in zip(asked.trees, answers, strict=True)]
    return {
        "F1": f1(zip(gold, guess, strict=True)),
        "exact": sum(exact) / len(exact),
        "trees": sum(one is not None for one in guess) / len(guess),
    }


def judged(
    model: Transformer | Translator, language: Language, part: str, longer: bool = False, constrained: bool = False
) -> dict[str, float]:
    """The scores of a model on one part."""
    asked = data(language, part, longer)
    return scores(language, asked, [spelled(language, row) for row in written(model, asked.pairs, constrained)])


@cache
def by_grammar(part: str, longer: bool = False) -> dict[str, float]:
    """The scores of the exact parser of the grammar: the likeliest tree of every sentence."""
    asked = data("english", part, longer)
    return scores("english", asked, [linearise(grammar.parse(grammar.words(tree)).tree) for tree in asked.trees])


def right_branching(words: Sequence[str]) -> tuple:
    """A tree that leans to the right, S over VP over VP; the words themselves are not looked at."""
    tree: tuple = ("VP", words[-1])
    for word in reversed(words[:-1]):
        tree = ("VP", word, tree)
    return ("S", *tree[1:])


@torch.no_grad()
def pointing(model: Transformer | Translator, language: Language, part: str, most: int = 500) -> dict[str, Tensor]:
    """How often the largest weight of each head of the cross-attention (layers, heads) lies on the next word.

    For each symbol apart, before it is written; the next word is the first that is not yet written, with which a
    bracket would begin. The model is given the true symbols before it. A GRU has one layer with one head.
    """
    asked = pairs.cropped(Pairs(*(column[:most] for column in data(language, part).pairs)))
    if isinstance(model, Transformer):
        cross = attention_weights(model, asked.source, asked.mask, asked.target).cross  # (B, layers, heads, T, S)
    else:
        cross = model(asked.source, asked.mask, asked.target).weights[:, None, None]
    ahead = (asked.target == WORD).cumsum(1) - (asked.target == WORD).long()  # words that stand before each symbol
    hit = (cross.argmax(dim=-1) == ahead[:, None, None]).permute(0, 3, 1, 2).double()  # (B, T, layers, heads)
    steps = {name: asked.asked & (asked.target == n) for n, name in enumerate(SYMBOLS[language])}
    return {name: hit[these].mean(0) for name, these in steps.items() if name[0] in "•("}


FIGURE_STEPS = 1_000


def trained(language: Language) -> Transformer:
    """The parser of the live figure, FIGURE_STEPS steps of seed 0, from the weights of the package."""
    model = load(WEIGHTS / f"parser_{language}.safetensors", ParserRecipe(language).build())
    return model.eval().requires_grad_(False)


def export() -> None:
    """Train both parsers of the live figure and write their weights; about two minutes."""
    for language in ("english", "python"):
        model = ParserRecipe(language, steps=FIGURE_STEPS).train()
        save(WEIGHTS / f"parser_{language}.safetensors", model, dtype=torch.float16)


def tune() -> None:
    """Print bracket F1 on the validation part, greedy and with legal brackets, for every side and rate."""
    for (language, kind), rates in GRID.items():
        for rate in rates:
            for seed in TUNED_ON:
                model = ParserRecipe(language, kind, seed, rate=rate).train()
                free, legal_ = (judged(model, language, "validation", constrained=on) for on in (False, True))
                said = [f"{found[name]:.3f}" for found in (free, legal_) for name in ("F1", "exact", "trees")]
                print(language, kind, rate, *said, flush=True)
