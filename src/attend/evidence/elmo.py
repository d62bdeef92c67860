"""What the page on ELMo claims: what frozen vectors in context are worth beside static ones, layer by layer."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import spmatrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import roc_auc_score
from torch import Tensor

from attend.evidence import All, More, recorded
from attend.recipes.elmo import TUNED_ON, ElmoRecipe, layers_at, neighbours, pooled, vocabulary, with_random_lstms
from attend.tasks import reviews, senses
from attend.transformers.elmo import BiLM

DATA = ("evidence/records/elmo.json",)
SEEDS = range(10, 15)
PARTS = ("train", "validation", "test")
PENALTIES = (1.0, 10.0, 100.0, 1_000.0)
"""Weight decay of every linear classifier: the best of these on the validation part, whatever it reads."""
SIZES = (100, 500, 2_000)
BUDGET = (
    "two language models with 269,000 weights together, 1,200 steps of 64 sentences, one for each seed; then frozen. "
    "All vectors are read by a linear classifier with the best of four penalties on validation sentences"
)
Columns = dict[str, float]


class Models(NamedTuple):
    """Two language models trained; the same table of words below random LSTMs; and nothing trained at all."""

    trained: BiLM
    chance: BiLM
    untrained: BiLM


@cache
def models(seed: int) -> Models:
    """The models of one seed."""
    trained = ElmoRecipe(seed).train()
    untrained = ElmoRecipe(seed + 3_000).build().eval().requires_grad_(False)
    return Models(trained, with_random_lstms(trained, seed), untrained)


@cache
def known() -> frozenset[str]:
    """Words that have a vector of their own."""
    return frozenset(vocabulary(ElmoRecipe().V)[2:])


@cache
def marked() -> Mapping[str, list[senses.Example]]:
    """By part, the examples whose marked word the models know."""
    return {part: [one for one in senses.load(part) if one.word in known()] for part in PARTS}


@cache
def two_parts_of_speech() -> Mapping[str, list[senses.Example]]:
    """By part, the examples of nouns and verbs whose spelling is marked as both somewhere."""
    seen = defaultdict(set)
    for one in (one for part in PARTS for one in marked()[part]):
        seen[one.word].add(one.part_of_speech)
    both = {word for word, kinds in seen.items() if {"noun", "verb"} <= kinds}
    fits = lambda one: one.word in both and one.part_of_speech in ("noun", "verb")  # noqa: E731
    return {part: [one for one in marked()[part] if fits(one)] for part in PARTS}


def side_by_side(layers: Tensor) -> Tensor:
    """All layers of (L + 1, N, 2 D) as one vector; the word's own, which is in there twice, once."""
    D = layers.shape[2] // 2
    return torch.cat([layers[0, :, :D], *layers[1:]], dim=1)


def right(x: Mapping[str, Tensor | spmatrix], y: Mapping[str, np.ndarray], asked: np.ndarray | None = None) -> float:
    """The share of test answers that a linear classifier gets right (of those `asked`), penalty by validation."""
    if isinstance(x["train"], Tensor):
        mean, spread = x["train"].mean(0), x["train"].std(0) + 1e-6
        x = {part: ((rows - mean) / spread).numpy() for part, rows in x.items()}
    fitted = [RidgeClassifier(alpha=penalty).fit(x["train"], y["train"]) for penalty in PENALTIES]
    best = max(fitted, key=lambda one: one.score(x["validation"], y["validation"]))
    hit = best.predict(x["test"]) == y["test"]
    return float((hit if asked is None else hit[asked]).mean())


def some(of: Mapping, rows: np.ndarray) -> dict:
    """The same with these rows alone for training."""
    return dict(of) | {"train": of["train"][rows]}


@cache
def noun_or_verb(seed: int) -> Columns:
    """Shares of right answers by number of labelled sentences and by what is read of each."""
    sets, trained = two_parts_of_speech(), models(seed).trained
    y = {part: np.array([one.part_of_speech == "noun" for one in some_of]) for part, some_of in sets.items()}
    layers, random, raw = ({part: layers_at(model, sets[part]) for part in PARTS} for model in models(seed))
    D = trained.token.embedding_dim
    x = {
        "nothing trained": {part: side_by_side(raw[part]) for part in PARTS},
        "word alone": {part: layers[part][0, :, :D] for part in PARTS},
        "word and its neighbours": {part: neighbours(trained, sets[part]) for part in PARTS},
        "random LSTMs": {part: side_by_side(random[part]) for part in PARTS},
        "ELMo": {part: side_by_side(layers[part]) for part in PARTS},
    }
    order, found = np.random.default_rng(seed).permutation(len(y["train"])), {}
    for size in SIZES:
        rows = order[:size]
        found |= {f"{name}, {size:,}": right(some(x[name], rows), some(y, rows)) for name in x}
    for n, name in enumerate(("layer 1", "layer 2"), 1):
        found[f"{name}, part of speech"] = right({part: layers[part][n] for part in PARTS}, y)
    return found


@cache
def kinds(seed: int) -> Columns:
    """Shares of right answers to "which of 45 kinds of meaning?", on test words that have several, by layer."""
    sets, (trained, chance, _) = marked(), models(seed)
    several = defaultdict(set)
    for one in (one for part in PARTS for one in sets[part]):
        several[one.word].add(one.kind)
    y = {part: np.array([one.kind for one in sets[part]]) for part in PARTS}
    asked = np.array([len(several[one.word]) > 1 for one in sets["test"]])
    layers, random = ({part: layers_at(model, sets[part]) for part in PARTS} for model in (trained, chance))
    D = trained.token.embedding_dim
    x = {
        "word alone": {part: layers[part][0, :, :D] for part in PARTS},
        "layer 1": {part: layers[part][1] for part in PARTS},
        "layer 2": {part: layers[part][2] for part in PARTS},
        "random layer 1": {part: random[part][1] for part in PARTS},
        "random layer 2": {part: random[part][2] for part in PARTS},
    }
    return {f"{name}, kind of meaning": right(x[name], y, asked) for name in x}


def alike(vectors: Tensor, examples: list[senses.Example], by=lambda one: one.word) -> float:
    """How often two vectors of a spelling in one sense are more alike than two of the same spelling in two senses.

    Pairs are compared with pairs of the same spelling alone, or what else `by` tells apart; each spelling counts once.
    """
    rows, found = defaultdict(list), []
    for n, one in enumerate(examples):
        rows[by(one)].append(n)
    unit = torch.nn.functional.normalize(vectors - vectors.mean(0), dim=1)
    for some in rows.values():
        pairs = list(combinations(some, 2))
        same = [examples[a].sense == examples[b].sense for a, b in pairs]
        if any(same) and not all(same):
            found.append(float(roc_auc_score(same, [float(unit[a] @ unit[b]) for a, b in pairs])))
    return sum(found) / len(found)


@cache
def pairs(seed: int) -> Columns:
    """The same for layer 1 of the trained and of the random model, and for three static vectors, on all sentences.

    No label is learned here, so none need be kept back.
    """
    examples, (trained, chance, _) = [one for part in PARTS for one in marked()[part]], models(seed)
    x = {
        "word and its neighbours": neighbours(trained, examples),
        "random LSTMs": layers_at(chance, examples)[1],
        "ELMo": layers_at(trained, examples)[1],
    }
    found = {name: alike(vectors, examples) for name, vectors in x.items()}
    kinds = lambda one: (one.word, one.part_of_speech)  # noqa: E731
    return found | {f"{name}, one part of speech": alike(vectors, examples, kinds) for name, vectors in x.items()}


@cache
def films(seed: int) -> Columns:
    """Shares of right answers on film reviews, by number of labels and by what is read of each."""
    texts = {part: [tuple(reviews.words(one.text)) for one in reviews.load(part)] for part in PARTS}
    y = {part: np.array([one.rating > 0 for one in reviews.load(part)]) for part in PARTS}
    trained, chance, _ = models(seed)
    layers, random = ({part: pooled(model, texts[part]) for part in PARTS} for model in (trained, chance))
    D = trained.token.embedding_dim
    x = {
        "static vectors": {part: layers[part][0, :, :D] for part in PARTS},
        "random LSTMs": {part: side_by_side(random[part]) for part in PARTS},
        "ELMo": {part: side_by_side(layers[part]) for part in PARTS},
    }
    order, found = np.random.default_rng(seed).permutation(len(y["train"])), {}
    for size in SIZES:
        rows = order[:size]
        found |= {f"{name}, {size:,}": right(some(x[name], rows), some(y, rows)) for name in x}
        counts = TfidfVectorizer(analyzer=lambda words: words, sublinear_tf=True)
        counts.fit([texts["train"][row] for row in rows])
        read = {part: counts.transform(texts[part]) for part in PARTS}
        found[f"TF-IDF, {size:,}"] = right(some(read, rows), some(y, rows))
    return found


@recorded(
    "With 100 labelled sentences, frozen vectors in context tell nouns from verbs of one spelling better than static "
    "ones, by more than 0.1.",
    source="peters2018deep",
    quote="We introduce a new type of deep contextualized word representation that models both (1) complex "
    "characteristics of word use (e.g., syntax and semantics), and (2) how these uses vary across linguistic contexts "
    "(i.e., to model polysemy).",
    rule=More("ELMo, 100", "word alone, 100", by=0.1),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of 484 test sentences that are right",
)
def context(seed):
    """All layers side by side, beside the row of the table alone; each language model has a seed of its own."""
    return noun_or_verb(seed)


@recorded(
    "The training of the LSTMs is worth more than 0.01 with 100 labels, and that of the table of words more than 0.01 "
    "again.",
    source="ours",
    rule=All(
        (More("ELMo, 100", "random LSTMs, 100", by=0.01), More("random LSTMs, 100", "nothing trained, 100", by=0.01))
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of 484 test sentences that are right",
)
def training(seed):
    """The trained model; the same table of words below LSTMs as they were drawn; and a model as it was drawn."""
    return noun_or_verb(seed)


@recorded(
    "With 100, 500 and 2,000 labels, vectors in context do better than three static ones side by side: the word and "
    "its neighbours.",
    source="ours",
    rule=All(tuple(More(f"ELMo, {size:,}", f"word and its neighbours, {size:,}") for size in SIZES)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of 484 test sentences that are right",
)
def window(seed):
    """The baseline has the same trained table of words, and no LSTM."""
    return noun_or_verb(seed)


@recorded(
    "Two uses of a spelling in one sense are more alike than two of it in two senses more often by ELMo's first layer "
    "than by that of random LSTMs.",
    source="ours",
    rule=More("ELMo", "random LSTMs"),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of comparisons within a spelling, mean of all spellings (guessing: 0.5)",
)
def senses_apart(seed):
    """Cosines of centred vectors, over all pairs of sentences that share a spelling."""
    return pairs(seed)


@recorded(
    "The second layer tells kinds of meaning better than the first, and the first tells nouns from verbs better than "
    "the second.",
    source="peters2018deep",
    quote="the higher-level LSTM states capture context-dependent aspects of word meaning (e.g., they can be used "
    "without modification to perform well on supervised word sense disambiguation tasks) while lower-level states "
    "model aspects of syntax (e.g., they can be used to do part-of-speech tagging)",
    rule=All(
        (
            More("layer 2, kind of meaning", "layer 1, kind of meaning"),
            More("layer 1, part of speech", "layer 2, part of speech"),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test sentences that are right",
)
def layers(seed):
    """Each layer alone, with all labelled sentences: 45 kinds of meaning, and nouns or verbs."""
    return kinds(seed) | {name: value for name, value in noun_or_verb(seed).items() if name.startswith("layer")}


@recorded(
    "On film reviews with 2,000 labels, frozen vectors in context do better than the static ones of the same words, "
    "and better than weighted counts of the words (TF-IDF).",
    source="hu2019lecture16",
    quote="These contextualized representations can then be frozen and used as embeddings for other downstream tasks "
    "like question answering, textual entailment, and sentiment analysis.",
    rule=All((More("ELMo, 2,000", "static vectors, 2,000"), More("ELMo, 2,000", "TF-IDF, 2,000"))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test reviews that are right",
)
def sentiment(seed):
    """The mean over the words of a review, layer by layer, into a linear classifier; TF-IDF has one of its own."""
    return films(seed)
