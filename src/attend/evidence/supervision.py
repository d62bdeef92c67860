"""What the page on what can be taught claims: letters beside counts and gzip, reviews beside counted words."""

import bz2
import gzip as zip_
import lzma
import math

import torch
from torch import Tensor

from attend.evidence import All, More, Reaches, recorded
from attend.memory.supervision import LanguageModel
from attend.recipes import plays as recipes
from attend.recipes import reviews as review_recipes
from attend.recipes.baselines import NGram, WordCounts
from attend.recipes.plays import PlaysRecipe, trained
from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import plays, reviews

DATA = ("evidence/records/supervision.json",)
ORDERS = range(2, 8)
KEPT = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
"""How many of the last characters are left in place where all before them is exchanged."""
PASSES = "29,223 weights, ten passes over 689,198 characters"
TEN_PASSES = f"{PASSES}; the best of three learning rates after one pass"
POSITIVE = ("good", "great", "funny", "moving", "clever", "original", "charming", "beautiful", "smart", "entertaining")
NEGATIVE = ("bad", "dull", "boring", "silly", "flat", "stupid", "tedious", "awful", "predictable", "pretentious")


@recorded(
    "After ten passes over nine plays an RNN predicts unseen scenes better than counts of four characters, and worse "
    "than counts of five.",
    source="ours",
    rule=All((More("counts of 4", "RNN", by=0.02), More("RNN", "counts of 5", by=0.02))),
    seeds=range(20, 25),
    tuned_on=recipes.TUNED_ON,
    budget=f"RNN: {PASSES}, the best of four learning rates after ten passes on another seed; counts: the same text, "
    "the best of six settings of the fall-back",
    unit="bits per character of unseen scenes",
)
def ngrams(seed):
    """Counts are the same for every seed; those of 2 to 7 characters stand in the picture."""
    counts = {f"counts of {order}": NGram(order).bits() for order in ORDERS}
    recipe = PlaysRecipe(seed=seed, learning_rate=recipes.RATE_OF_TEN)
    return {"RNN": recipe.measure(recipe.train()[0])} | counts


@torch.no_grad()
def bits_with(model: LanguageModel, pages: Tensor, kept: int, at: Tensor) -> float:
    """Bits per character at the steps `at` of pages (R, T), where all but the last `kept` is from a page far away."""
    other = pages.roll(len(pages) // 2, dims=0)
    states = model.rnn(model.embed(other))[0]  # (R, T, H)
    state = torch.cat([states[:, t - kept - 1] for t in at.tolist()])  # what stood there before the kept ones
    window = torch.cat([pages[:, t - kept : t] for t in at.tolist()])
    logits = model.head(model.rnn(model.embed(window), state)[0][:, -1])
    target = torch.cat([pages[:, t] for t in at.tolist()])
    return torch.nn.functional.cross_entropy(logits, target).item() / math.log(2)


@recorded(
    "What an RNN read more than twenty characters ago is worth next to nothing to its prediction.",
    source="ours",
    rule=Reaches("lost by exchanging all but the last 20", at_most=0.01),
    seeds=range(10, 15),
    tuned_on=recipes.TUNED_ON,
    budget=TEN_PASSES,
    unit="bits per character of unseen scenes",
)
def context(seed):
    """Everything earlier is exchanged for text of another scene; 20 characters of each page are predicted."""
    model, pages, at = trained(seed), plays.pages("test"), torch.arange(100, 500, 20)
    with torch.no_grad():
        whole = -model(pages[:, :-1])[0].log_softmax(dim=2)[:, at - 1].gather(2, pages[:, at, None]).mean().item()
    found = {f"last {kept}": bits_with(model, pages, kept, at) for kept in KEPT}
    whole /= math.log(2)
    return {"lost by exchanging all but the last 20": found["last 20"] - whole, "all": whole, **found}


def in_bytes(model: LanguageModel) -> int:
    """Round every weight to 8 bits, in place, with a scale of 32 bits for each row; the bytes that this takes."""
    total = 0
    with torch.no_grad():
        for weights in model.parameters():
            rows = weights.view(len(weights), -1) if weights.dim() > 1 else weights.view(1, -1)
            scale = rows.abs().amax(dim=1, keepdim=True).clamp_min(1e-30) / 127
            rows.copy_((rows / scale).round() * scale)
            total += rows.numel() + 4 * len(rows)
    return total


@torch.no_grad()
def bits_of(model: LanguageModel, tokens: Tensor, rows: int = 16, chunk: int = 2_000) -> float:
    """All bits of `tokens` (N), read as so many rows side by side; the first of a row costs as much as any."""
    kept = tokens[: len(tokens) // rows * rows].view(rows, -1)
    left, state, total = len(tokens) - kept.numel() + rows, None, 0.0
    for t in range(0, kept.shape[1] - 1, chunk):
        target = kept[:, t + 1 : t + 1 + chunk]
        logits, state = model(kept[:, t : t + target.shape[1]], state)
        total += plays.cost(logits, target).item() * target.numel()
    return total / math.log(2) + left * math.log2(len(plays.ALPHABET))


@recorded(
    "A text coded by the predictions of an RNN, the weights included, takes less room than gzip needs for it.",
    source="sankaran2019part5",
    quote="good models compress data, whether it's coin flips into the proportion of heads, or half a terabyte of "
    "satellite imagery into a several megabyte neural network.",
    rule=More("gzip", "RNN and its weights", by=0.25),
    seeds=range(10, 15),
    tuned_on=recipes.TUNED_ON,
    budget=f"RNN: {TEN_PASSES}; weights rounded to 8 bits. gzip, bzip2 and xz at their strongest setting",
    unit="bits per character of the plays that it was trained on",
)
def gzip(seed):
    """An arithmetic coder would write what is added up here, and at most two bits more."""
    tokens, model = plays.stream("train"), trained(seed)
    text, count = plays.spell(tokens).encode(), len(tokens)
    weights = 8 * in_bytes(model) / count
    packed = {
        "gzip": zip_.compress(text, 9),
        "bzip2": bz2.compress(text, 9),
        "xz": lzma.compress(text, preset=9 | lzma.PRESET_EXTREME),
    }
    coded = bits_of(model, tokens) / count
    return {"RNN and its weights": coded + weights, "text": coded, "weights": weights} | {
        name: 8 * len(data) / count for name, data in packed.items()
    }


@recorded(
    "An RNN tells positive from negative reviews better than counted words by more than two points.",
    source="ours",
    rule=More("RNN", "counted words", by=0.02),
    seeds=range(10, 20),
    tuned_on=review_recipes.TUNED_ON,
    budget="6,744 labelled reviews. RNN: ten passes, the best of three learning rates on another seed; counted "
    "words: TF-IDF of words and pairs, logistic regression, the best of four penalties",
    unit="share of right answers on unseen reviews (guessing: 0.5)",
)
def rated(seed):
    """Each seed is judged on a tenth of the test reviews of its own, so that the interval counts reviews, too.

    No rule judges the counts of the 2,999 words alone that the RNN knows.
    """
    recipe = ReviewsRecipe(seed=seed)
    mine = slice(seed % 10, None, 10)
    right = recipe.right(recipe.train()[0])[mine].double().mean().item()
    counted = {"counted words": WordCounts(), "counted words, the RNN's alone": WordCounts(known=recipe.words()[1:])}
    return {"RNN": right} | {name: float(counts.right()[mine].mean()) for name, counts in counted.items()}


@torch.no_grad()
def log_odds(model, sentence: str, words: tuple[str, ...]) -> float:
    """The mean log-odds of "positive" of a sentence, with each of `words` in the place of its dots."""
    tokens, mask = reviews.encode([sentence.replace("…", word) for word in words], ReviewsRecipe().words())
    return model(tokens, mask).mean().item()


@recorded(
    "To the RNN a film that is “not bad” is better than one that is “so bad”.",
    source="ours",
    rule=More("not + negative", "so + negative"),
    seeds=range(10, 15),
    tuned_on=review_recipes.TUNED_ON,
    budget="6,744 labelled reviews, ten passes",
    unit="log-odds of “positive”, mean over ten words",
)
def negation(seed):
    """“it is so bad .” and “it is not bad .”, for ten words of each kind; one word changes, and the length does not."""
    model = ReviewsRecipe(seed=seed).train()[0]
    return {
        f"{before} + {kind}": log_odds(model, f"it is {before} … .", words)
        for before in ("not", "so")
        for kind, words in (("negative", NEGATIVE), ("positive", POSITIVE))
    }
