"""What the page on training claims: what a net shares, what padding does to a loss, and what few words do to a net."""

import math

import torch
from torch import Tensor, cdist

from attend.evidence import All, More, Reaches, recorded
from attend.recipes.training import TUNED_ON, Counts, K, RowsRecipe, V, WordsRecipe, bits
from attend.tasks import words

DATA = ("evidence/records/training.json",)
COUNTS = (30, 100, 300, 1_000, 3_000, 0)
"""How many training words; 0 for all of them."""
HIDDEN = (32, 128)
FEW = 300
UNIFORM = math.log2(V)


def unseen(part: str) -> tuple[Tensor, Tensor]:
    """The examples of a part on which nothing is trained."""
    return words.examples(words.load(part), K)


def counted(of: list[str]) -> dict[str, float]:
    """Bits a letter on the test words; all settings of the counts are chosen on the validation words."""
    counts, choose, test = Counts(of), unseen("validation"), unseen("test")
    return {
        "add-one pairs": counts.table_bits(*test, 1, 1.0),
        "best table": counts.table_bits(*test, *counts.best_table(*choose)),
        "fallback counts": counts.fallback_bits(*test, *counts.best_fallback(*choose)),
    }


@recorded(
    "A net that sees four letters needs fewer bits than the best single table of counts; counts that fall back on "
    "shorter contexts need fewer than the net.",
    source="ours",
    rule=All((More("best table", "net", by=0.02), More("net", "fallback counts", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="net: 2,000 steps of 256 examples, one of six settings tried; tables: 30 settings (length, what is added), "
    "fallback: 25 (length, strength), all chosen on the validation words",
    unit="bits a letter on 1,371 unseen words",
)
def table(seed):
    """All of them may look at the last four letters, and learn from all 6,756 training words."""
    recipe = WordsRecipe(seed)
    return {"net": bits(recipe.train(), *unseen("test"))} | counted(recipe.words())


@recorded(
    "Trained to the end on 300 words, the net is worse on new words than no knowledge at all; stopped when the "
    "validation loss is least, it beats add-one counts of pairs.",
    source="ours",
    rule=All((Reaches("300: last step", at_least=UNIFORM), More("300: add-one pairs", "300: stopped", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="each seed draws its own words; net: 2,000 steps, 32 or 128 hidden units and the step to stop at chosen on "
    "the validation words, as are the 30 settings of the tables and the 25 of the fallback",
    unit="bits a letter on 1,371 unseen words (all letters alike: 4.755)",
)
def few(seed):
    """At six numbers of words, for the picture. The last step is that of the net with 128 hidden units."""
    found = {}
    for count in COUNTS:
        runs = [WordsRecipe(seed, count, hidden_size=hidden).stopped() for hidden in HIDDEN]
        row = {
            "last step": bits(runs[-1][2], *unseen("test")),
            "stopped": bits(min(runs, key=lambda run: run[0])[1], *unseen("test")),
            **counted(WordsRecipe(seed, count).words()),
        }
        found |= {f"{count or 'all'}: {name}": value for name, value in row.items()}
    return found


@recorded(
    "When the loss counts padding, training reports fewer bits and gives a worse model, which ends words before they "
    "begin.",
    source="ours",
    rule=All(
        (
            More("reported with the mask", "reported without", by=0.5),
            More("true bits without", "true bits with the mask", by=0.1),
            Reaches("P(end at once) without", at_least=0.3),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="800 steps of 32 words a side, same settings",
    unit="bits a letter (the last 100 steps; 1,371 unseen words), and a probability",
)
def mask(seed):
    """The net sees four full stops both before a word begins and in its padding."""
    found = {}
    for name, masked in (("with the mask", True), ("without", False)):
        model, reported = RowsRecipe(masked, seed).train()
        start = model(torch.zeros(1, K, dtype=torch.int64)).softmax(1)[0, words.END].item()
        found |= {
            f"reported {name}": reported,
            f"true bits {name}": bits(model, *unseen("test")),
            f"P(end at once) {name}": start,
        }
    return found


def closer(embedding: Tensor) -> float:
    """How often two vowels lie closer together than a vowel and a consonant (y counts as one)."""
    vowel = torch.tensor([letter in "aeiou" for letter in words.ALPHABET[1:]])
    distance = cdist(embedding[1:], embedding[1:])
    among = distance[vowel][:, vowel]
    pairs = among[torch.ones_like(among).triu(1).bool()]
    return (pairs[:, None] < distance[vowel][:, ~vowel].flatten()).double().mean().item()


@recorded(
    "Nobody tells the net what a vowel is, and its embedding puts the vowels together.",
    source="ours",
    rule=Reaches("closer", at_least=0.8),
    seeds=range(10, 20),
    tuned_on=TUNED_ON,
    budget="2,000 steps of 256 examples",
    unit="how often two vowels lie closer together than a vowel and a consonant (guessing: 0.5)",
)
def vowels(seed):
    """The embedding has two numbers a letter, as in the picture."""
    return {"closer": closer(WordsRecipe(seed, width=2).train().embed.weight.detach())}
