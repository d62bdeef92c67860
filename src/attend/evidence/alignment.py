"""What the page on alignment claims: what finds the links that people drew, before a word is seen and after it."""

from torch import Tensor

from attend.evidence import Alike, All, More, Reaches, recorded
from attend.recipes.verses import ENGLISH, GREEK, ROUNDS, TUNED_ON, AlignerRecipe, Division, TranslatorRecipe, divided
from attend.soft import lexicon
from attend.soft.aligner import posterior
from attend.tasks import verses

DATA = ("evidence/records/alignment.json",)
SPLIT = "a fifth of the chapters judges, drawn anew for each seed"
RATE = "alignment error rate on the verses that judge"
GROUPS = {"once": (1, 1), "2 to 9 times": (2, 9), "10 to 99 times": (10, 99), "100 times or more": (100, 10**9)}
"""How often a Greek word occurs in the training verses."""


def found_by(of: Division, table: Tensor, prior: Tensor | None = None, part: str = "test") -> Tensor:
    """The weights that a table gives, after the words."""
    pairs = of.pairs(part)
    return lexicon.e_step(table, pairs.source, pairs.target, pairs.mask, prior)


@recorded(
    "A table of words that EM learned from verses without links finds more of the links that people drew than the "
    "diagonal does, and more again when the diagonal is part of the E-step.",
    source="ours",
    rule=All((More("diagonal", "table", by=0.1), More("table", "table with the diagonal", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"{ROUNDS} rounds of EM, no learning rate; rounds and strength chosen on other chapters; {SPLIT}",
    unit=RATE,
)
def table(seed):
    """Also: the diagonal added only when the table has been learned."""
    of = divided(seed)
    near, alone = of.diagonal("test"), of.learned()
    return {
        "diagonal": of.error(near.softmax(2)),
        "table": of.error(found_by(of, alone)),
        "diagonal added afterwards": of.error(found_by(of, alone, near)),
        "table with the diagonal": of.error(found_by(of, of.table, near)),
    }


def per_word(of: Division, links: Tensor) -> dict[str, float]:
    """English words linked to a Greek word of the training verses, on average, by how often that word occurs there."""
    source, mask = of.pairs("train")[:2]
    counts = source[mask].bincount()[source]
    found, real = links.sum(1).double(), mask & (source != verses.END)  # (B, S)
    return {
        name: found[real & (low <= counts) & (counts <= high)].mean().item() for name, (low, high) in GROUPS.items()
    }


@recorded(
    "IBM Model 1 links too many English words to a Greek word that it has met only once.",
    source="ours",
    rule=More("once: found", "once: drawn by people", by=0.5),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"{ROUNDS} rounds of EM, judged on the very verses that EM has read; {SPLIT}",
    unit="English words linked to a Greek word, on average",
)
def rare(seed):
    """By how often the Greek word occurs in the verses that EM has read; also with the diagonal in the E-step."""
    of = divided(seed)
    near = of.diagonal("train")
    sides = {
        "drawn by people": verses.gold(of.train_verses),
        "found": verses.chosen(found_by(of, of.learned(), part="train"), of.pairs("train")),
        "found with the diagonal": verses.chosen(found_by(of, of.table, near, "train"), of.pairs("train")),
    }
    return {f"{group}: {side}": mean for side, links in sides.items() for group, mean in per_word(of, links).items()}


@recorded(
    "Without smoothing IBM Model 1 links too many English words to a Greek word that it has met only once; with a "
    "small number added to each count it links about as many as people did.",
    source="ours",
    rule=All(
        (
            More("once: without smoothing", "once: drawn by people", by=0.5),
            Alike("once: smoothed", "once: drawn by people", within=0.25),
        )
    ),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget=f"{ROUNDS} rounds of EM, judged on the very verses that EM has read; guessed after alignment.rare; {SPLIT}",
    unit="English words linked to a Greek word, on average",
)
def smoothing(seed):
    """Smoothed as everywhere else, by 0.001; without, by a billionth."""
    of = divided(seed)
    source, mask, target, asked = of.pairs("train")
    bare = lexicon.uniform_table(ENGLISH, GREEK)
    for _ in range(ROUNDS):
        weights = lexicon.e_step(bare, source, target, mask)
        bare = lexicon.m_step(weights, source, target, asked, bare, smoothing=1e-9)
    sides = {
        "drawn by people": verses.gold(of.train_verses),
        "smoothed": verses.chosen(found_by(of, of.learned(), part="train"), of.pairs("train")),
        "without smoothing": verses.chosen(found_by(of, bare, part="train"), of.pairs("train")),
    }
    return {f"{group}: {side}": mean for side, links in sides.items() for group, mean in per_word(of, links).items()}


@recorded(
    "Attention that learns only where the next word comes from is a better guess than the diagonal, alone before the "
    "word and with the table after it; before the word is seen it is a much poorer alignment than after it.",
    source="ours",
    rule=All(
        (
            More("diagonal", "aligner, before the word", by=0.05),
            More("table with the diagonal", "aligner, after the word"),
            More("aligner, before the word", "aligner, after the word", by=0.1),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="1,500 steps of 32 verses; the best of three learning rates on another seed and other chapters; the same "
    f"table for both; {SPLIT}",
    unit=RATE,
)
def aligner(seed):
    """Both use the table that was learned with the diagonal."""
    of, recipe = divided(seed), AlignerRecipe(seed=seed)
    weights, near = recipe.weights(recipe.train()), of.diagonal("test")
    pairs = of.pairs("test")
    after = posterior(near.softmax(2), of.table, pairs.source, pairs.target, pairs.mask)
    return {
        "diagonal": of.error(near.softmax(2)),
        "table with the diagonal": of.error(after),
        "aligner, before the word": of.error(weights["before"]),
        "aligner, after the word": of.error(weights["after"]),
    }


@recorded(
    "A translator that learns words and attention together from these verses predicts them no better with attention "
    "than without, and its weights are a poorer alignment than the diagonal.",
    source="ours",
    rule=All(
        (
            Reaches("gained by attention", at_most=0.1),
            More("its weights", "diagonal", by=0.05),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="1,500 steps of 32 verses a side: the best of four settings of steps and learning rate with attention, and "
    f"of three without, on another seed and other chapters; {SPLIT}",
    unit="nats a word, and alignment error rates",
)
def translator(seed):
    """Also: uniform weights in the place of its own, and its weights a step later."""
    of, found = divided(seed), {}
    for attention, name in ((True, "with attention"), (False, "without attention")):
        recipe = TranslatorRecipe(attention, steps=1_500, learning_rate=4e-3, seed=seed)
        found[name] = recipe.measure(recipe.train())
    own, bare = found["with attention"], found["without attention"]["nats"]
    return {
        "with attention": own["nats"],
        "with uniform weights": own["nats, uniform weights"],
        "without attention": bare,
        "gained by attention": bare - own["nats"],
        "its weights": own["before"],
        "its weights, a step later": own["a step later"],
        "diagonal": of.error(of.diagonal("test").softmax(2)),
    }
