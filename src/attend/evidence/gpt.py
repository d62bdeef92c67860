"""What the page on GPT claims: what pre-training is worth on few labels, and what capacity and text are."""

import math
from functools import cache
from itertools import pairwise

from attend.evidence import All, More, Reaches, recorded
from attend.recipes import gpt_sizes
from attend.recipes.gpt import (
    LABELS,
    TUNED_ON,
    WIDTHS,
    Capacity,
    FineTune,
    accuracy,
    plays_nats,
    trained,
    word_counts,
)

DATA = ("evidence/records/gpt.json",)
SEEDS = range(10, 15)
UNIT = "share of 1,427 test reviews named right (guessing: 0.5)"
BUDGET = (
    "one pre-training, the page's, 1,500 steps of 16 x 80 tokens; labels and their order are drawn anew each "
    "time; 100 to 300 steps of 16 reviews, the same for all networks; learning rates: the better of two each, chosen "
    "on another seed with a model that had learned positions"
)


@cache
def right(kind: str, labels: int, seed: int) -> float:
    """The share of test reviews that a network of one kind names right, from so many labels."""
    gpt = None if kind == "from scratch" else trained()
    return accuracy(FineTune.of(kind, labels, seed).train(gpt), "test")


@recorded(
    "The same network names more reviews right if it was pre-trained, from 100, from 400 and from 2,000 labels.",
    source="hu2019lecture16",
    quote="Parameters learned during the training of large language models using self-supervision have been shown to "
    "be extremely effective when transferred to other NLP prediction tasks.",
    rule=All(tuple(More(f"pre-trained, {n:,}", f"from scratch, {n:,}") for n in LABELS)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def transfer(seed):
    """A network of 105,792 weights and a linear layer; the same labels, steps and order of reviews for both."""
    kinds = ("pre-trained", "from scratch")
    return {f"{kind}, {n:,}": right(kind, n, seed) for n in LABELS for kind in kinds}


@recorded(
    "Pre-trained, it names more reviews right than counted words, TF-IDF and logistic regression, on the same labels.",
    source="ours",
    rule=All(tuple(More(f"pre-trained, {n:,}", f"counted words, {n:,}") for n in LABELS)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=f"{BUDGET}; counted words: the best of four strengths of the penalty on three other seeds",
    unit=UNIT,
)
def counted(seed):
    """Words and pairs of words."""
    found = {f"pre-trained, {n:,}": right("pre-trained", n, seed) for n in LABELS}
    return found | {f"counted words, {n:,}": word_counts(n, seed, "test") for n in LABELS}


@recorded(
    "An auxiliary language-model loss in fine-tuning lets it name more reviews right.",
    source="hu2019lecture16",
    quote="OpenAI then adapted this method (dubbed Generative Pre-training or GPT) to work with the popular "
    "Transformer architecture, an auxiliary language modeling loss during fine-tuning to obtain even better results, "
    "and adaptation to more difficult tasks such as machine translation.",
    rule=All(tuple(More(f"with it, {n:,}", f"without, {n:,}") for n in LABELS)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def auxiliary(seed):
    """Weighed by 0.5, as in GPT."""
    found = {f"with it, {n:,}": right("auxiliary", n, seed) for n in LABELS}
    return found | {f"without, {n:,}": right("pre-trained", n, seed) for n in LABELS}


@cache
def loss(width: int, part: int, seed: int) -> float:
    """Nats a character on unseen scenes."""
    return plays_nats(Capacity(width, part=part, seed=seed).train(), "test")


def slope(low: int, high: int, seed: int) -> float:
    """Nats gained by ten times the weights, between two widths."""
    return (loss(low, 1, seed) - loss(high, 1, seed)) / math.log10(gpt_sizes.weights(high) / gpt_sizes.weights(low))


@recorded(
    "With equal steps, each of four steps up in size, from 2,264 to 404,864 weights, lowers the loss, and ten times "
    "the weights gain no less in the upper half of these sizes than in the lower (less than 0.1 nats less).",
    source="hu2019lecture16",
    quote="They use a similar but much higher capacity model to GPT as they find that capacity improves performance "
    "log-linearly.",
    rule=All(
        (
            *(More(f"width {a}", f"width {b}") for a, b in pairwise(WIDTHS)),
            Reaches("gain lost in the upper half", at_most=0.1),
        )
    ),
    seeds=SEEDS,
    budget="200 steps of 16 x 64 characters of the plays; learning rates fall with the width, from 0.03 to 0.006",
    unit="nats a character on unseen scenes",
)
def capacity(seed):
    """Two blocks each; the last column is nats per factor of ten, widths 8 to 32 beside 32 to 128."""
    found = {f"width {width}": loss(width, 1, seed) for width in WIDTHS}
    return found | {"gain lost in the upper half": slope(8, 32, seed) - slope(32, 128, seed)}


@recorded(
    "With 1,000 steps, each of seven steps up in size, from 2,264 to 25 million weights, lowers the loss, and ten "
    "times the weights gain no less in the upper half of these sizes than in the lower (less than 0.1 nats less).",
    source="hu2019lecture16",
    quote="They use a similar but much higher capacity model to GPT as they find that capacity improves performance "
    "log-linearly.",
    rule=All(
        (
            *(More(f"width {a:,}", f"width {b:,}") for a, b in pairwise(gpt_sizes.WIDTHS)),
            Reaches("gain lost in the upper half", at_most=0.1),
        )
    ),
    seeds=gpt_sizes.SEEDS,
    tuned_on=TUNED_ON,
    budget="1,000 steps of 16 x 64 characters of the plays for every size, on a graphics card (NVIDIA H200); the best "
    "of five learning rates each, chosen on another seed and other scenes, with as many steps",
    unit="nats a character on unseen scenes",
)
def larger(seed):
    """Two blocks each; the last column is nats per factor of ten, widths 8 to 64 beside 64 to 1,024."""
    found = {f"width {width:,}": gpt_sizes.loss(width, seed) for width in gpt_sizes.WIDTHS}
    gain = {
        (low, high): (found[f"width {low:,}"] - found[f"width {high:,}"])
        / math.log10(gpt_sizes.weights(high) / gpt_sizes.weights(low))
        for low, high in ((8, 64), (64, 1_024))
    }
    return found | {"gain lost in the upper half": gain[8, 64] - gain[64, 1_024]}


@recorded(
    "With a 64th of the text the larger of two models loses more than the smaller.",
    source="ours",
    rule=More("width 64 loses", "width 16 loses", by=0.05),
    seeds=SEEDS,
    budget="200 steps of 16 x 64 characters of the plays, of all 689,198 or the first 10,768; 0.03 "
    "for width 16 and 0.012 for width 64, whatever the text",
    unit="nats a character on unseen scenes",
)
def text(seed):
    """Widths 16 and 64, 7,600 and 104,128 weights."""
    found = {f"width {w}, 1/{part} of it": loss(w, part, seed) for w in (16, 64) for part in (1, 64)}
    lost = {f"width {w} loses": loss(w, 64, seed) - loss(w, 1, seed) for w in (16, 64)}
    return found | lost
