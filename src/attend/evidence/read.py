"""What the page on soft attention claims: it learns what to compare, keeps up with long lists, and sees no order."""

import torch

from attend.evidence import SHARE, Alike, All, More, Reaches, recorded
from attend.evidence.kit import claims, records
from attend.recipes.read import LENGTHS, SIZE, TUNED_ON, FacesRecipe, right, widest
from attend.tasks import faces

DATA = ("evidence/records/read.json",)
LONGER = 4
"""How many times as long the GRU is trained in its second column."""
BUDGET = "1,000 steps of 64 lists of 1 to 16 faces; the best of three learning rates on two other seeds, each"


@recorded(
    "Attention learns which numbers of a face to compare: it reads nearly as well as Bayes' rule, which is told.",
    source="ours",
    rule=All(
        (
            More("attention, 8 faces", "fixed kernel, 8 faces", by=0.2),
            Alike("attention, 8 faces", "Bayes, 8 faces", within=0.03),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET + "; the kernel: the best of six widths",
    unit="share of right numbers (one of ten at random: 0.1)",
)
def learned(seed):
    """256 weights; the fixed kernel takes all 16 numbers alike. And for lists of all LENGTHS, for the picture."""
    recipe, width = FacesRecipe("attention", seed=seed), torch.full((SIZE,), widest())
    model, found = recipe.train(), {}
    for length in LENGTHS:
        found[f"attention, {length} faces"] = recipe.accuracy(model, length)
        found[f"fixed kernel, {length} faces"] = recipe.kernel(width, length)
        found[f"Bayes, {length} faces"] = recipe.kernel(faces.bayes(), length)
    return found


@recorded(
    "On lists of 64, four times as long as any of its training, attention still gets more than 80 % right.",
    source="ours",
    rule=Reaches("attention, 64 faces", at_least=0.8, limits=SHARE),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of right numbers (one of ten at random: 0.1)",
)
def longer(seed):
    """Bayes' rule beside it: the more people, the more of them look alike."""
    recipe = FacesRecipe("attention", seed=seed)
    return {
        "attention, 64 faces": recipe.accuracy(recipe.train(), 64),
        "Bayes, 64 faces": recipe.kernel(faces.bayes(), 64),
    }


def frequent(batch: faces.Faces) -> float:
    """The share of right numbers of one who says the most frequent number of the list, and never looks at a face."""
    counts = batch.value.sum(dim=1)
    return right(counts + 1e-3 * batch.value[:, -1], batch)


@recorded(
    "Trained on the same lists, a GRU that has to keep them in one hidden state gets fewer right, also with four times "
    "the steps.",
    source="ours",
    rule=All(
        (
            More("attention, 8 faces", "GRU, 8 faces", by=0.2),
            More("attention, 8 faces", "GRU, 4,000 steps, 8 faces", by=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET + "; the GRU also for 4,000",
    unit="share of right numbers (one of ten at random: 0.1)",
)
def gru(seed):
    """128 hidden units, 61,194 weights beside 256 of attention. And for lists of all LENGTHS, for the picture."""
    recipe = FacesRecipe("attention", seed=seed)
    found = {"attention, 8 faces": recipe.accuracy(recipe.train(), 8)}
    found |= {f"most frequent number, {length} faces": frequent(recipe.judging(length)) for length in LENGTHS}
    for name, steps in (("GRU", 1_000), ("GRU, 4,000 steps", 1_000 * LONGER)):
        recipe = FacesRecipe("gru", seed=seed, steps=steps)
        model = recipe.train()
        found |= {f"{name}, {length} faces": recipe.accuracy(model, length) for length in LENGTHS}
    return found


@recorded(
    "Where everybody is met twice and the latest number counts, attention has to be told when each meeting was.",
    source="ours",
    rule=All(
        (
            Reaches("attention", at_most=0.6, limits=SHARE),
            More("attention, with positions", "attention", by=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of right numbers in lists of 8 (one of the two at random: 0.55)",
)
def latest(seed):
    """Four people, two meetings each. With positions a key also holds its place in the list, from 0 to 1."""
    plain, told = (FacesRecipe(reader, True, seed) for reader in ("attention", "positions"))
    counted = FacesRecipe("gru", True, seed)
    return {
        "attention": plain.accuracy(plain.train(), 8),
        "attention, with positions": told.accuracy(told.train(), 8),
        "GRU": counted.accuracy(counted.train(), 8),
    }


def by_length(reader: str) -> list[float]:
    """The recorded share of right numbers of one reader for lists of all LENGTHS, the mean of the seeds."""
    found = {}
    for name in ("read.learned", "read.gru"):
        for seed, row in records.rows(records.read(claims.find(name))).items():
            found.setdefault(seed, {}).update(row)
    return [sum(row[f"{reader}, {length} faces"] for row in found.values()) / len(found) for length in LENGTHS]
