"""What the page on trees and graphs claims: what a tree is good for, and what neighbours tell a patch of ink."""

from attend.evidence import SHARE, All, More, Reaches, recorded
from attend.recipes.graphs import PatchesRecipe
from attend.recipes.trees import TUNED_ON, ListsRecipe, lists_of_depth

DATA = ("evidence/records/trees.json",)
LEVELS = (1, 2, 3, 4, 5)
ROUNDS = (1, 4)
TUNING = "the best of three learning rates on another seed"
LISTS = f"4,000 lists of one or two levels, 300 batches of 64 for a tree, 600 for a chain; 6,826 weights each; {TUNING}"
PATCHES = f"200 batches of 32 canvases; 2,324 to 2,402 weights each; {TUNING}"


def lists(reader: str, seed: int, levels: tuple[int, ...]) -> dict[int, float]:
    """Train on lists of one or two levels: the share of right ones among 300 new lists of each of these levels."""
    recipe = ListsRecipe(reader, seed)
    model = recipe.train()
    return {level: recipe.right(model, lists_of_depth(level, count=300)) for level in levels}


@recorded(
    "Trained on lists of at most two levels, a Tree-LSTM evaluates lists of four, and loses less on the way from two "
    "to four than a chain of as many weights that trains for twice the steps.",
    source="ours",
    rule=All((Reaches("tree, level 4", at_least=0.8, limits=SHARE), More("lost by chain", "lost by tree", by=0.2))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=LISTS,
    unit="share of right lists",
)
def deeper(seed):
    """Both learn from the values of the same lists and of all lists in them."""
    found = {reader: lists(reader, seed, LEVELS) for reader in ("tree", "chain")}
    shares = {f"{reader}, level {level}": share for reader in found for level, share in found[reader].items()}
    return shares | {f"lost by {reader}": found[reader][2] - found[reader][4] for reader in found}


@recorded(
    "With a forget gate for each child more lists come out right than with one gate for all children.",
    source="ours",
    rule=More("a gate for each, level 4", "one gate, level 4", by=0.05),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=LISTS,
    unit="share of right lists",
)
def gates(seed):
    """Nothing else differs: the same weights, which the one gate uses on the sum of the children."""
    names = {"tree": "a gate for each", "one_gate": "one gate"}
    found = {reader: lists(reader, seed, (2, 4)) for reader in names}
    return {f"{name}, level {level}": share for reader, name in names.items() for level, share in found[reader].items()}


def named(network: str, seed: int, rounds: int = 4) -> float:
    """The share of patches that are named rightly after training."""
    recipe = PatchesRecipe(network, rounds, seed)
    return recipe.accuracy(recipe.train())


@recorded(
    "A patch that hears the mean of its neighbours is named rightly more often than one that is seen alone, and more "
    "often still if it may weigh them.",
    source="ours",
    rule=All((More("mean of the neighbours", "alone", by=0.03), More("attention", "mean of the neighbours", by=0.01))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=PATCHES,
    unit="share of right patches on 500 test canvases",
)
def heard(seed):
    """Four rounds each; alone, the same network has nobody to hear, and a wider state for as many weights."""
    networks = {"alone": "alone", "mean of the neighbours": "mean", "attention": "neighbours"}
    return {name: named(network, seed) for name, network in networks.items()}


@recorded(
    "On these graphs attention over the neighbours alone names more patches rightly than attention over all patches.",
    source="ours",
    rule=More("neighbours, 4 rounds", "everyone, 4 rounds", by=0.01),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=PATCHES,
    unit="share of right patches on 500 test canvases",
)
def nearby(seed):
    """The same network and weights; only the edges differ. The table has one round, too."""
    return {
        f"{network}, {rounds} rounds": named(network, seed, rounds)
        for network in ("neighbours", "everyone")
        for rounds in ROUNDS
    }
