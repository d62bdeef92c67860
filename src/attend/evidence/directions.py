"""What the page on directions claims: what each side can tell, what waiting buys, a gap in a text, and a plane."""

from attend.evidence import SHARE, All, More, Reaches, recorded
from attend.recipes.bidirectional import TUNED_ON, GapRecipe, PlacesRecipe
from attend.recipes.grid_lstm import SHORT, GridRecipe, f1
from attend.tasks import places

DATA = ("evidence/records/directions.json",)
SEEDS = range(10, 15)
TUNING = (
    "200 steps of 64 numbers and 8,960 to 8,972 weights each; each the best of three learning rates on another seed"
)
SHARES = "share of the digits of unseen numbers"


def trained(kind: str, seed: int) -> dict[str, float]:
    """The shares of right places and columns on test numbers, after training."""
    recipe = PlacesRecipe(kind, seed)
    return recipe.measure(recipe.train())


@recorded(
    "A bidirectional LSTM captures what came before and what comes after: 99 of 100 places and columns are right.",
    source="hu2019lecture16",
    quote="The hidden state is the concatenated result of both forward and backward hidden states so that it can "
    "capture past and future information.",
    rule=All((Reaches("place", at_least=0.99, limits=SHARE), Reaches("column", at_least=0.99, limits=SHARE))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit=SHARES,
)
def both(seed):
    """Two LSTMs of 24 cells."""
    return trained("both", seed)


@recorded(
    "An LSTM that hears one side comes within 3 points of the best that anybody could do who hears that side.",
    source="ours",
    rule=All(
        (
            Reaches("place from the left, short of the best by", at_most=0.03),
            Reaches("column from the right, short of the best by", at_most=0.03),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit=SHARES,
)
def ceiling(seed):
    """One LSTM of 37 cells. The best possible is counted over all 999,900 numbers; no model has a part in it."""
    asked = {"left": "place", "right": "column"}
    found = {side: trained(side, seed) for side in asked}
    gaps = {
        f"{question} from the {side}, short of the best by": places.ceiling(question, side) - found[side][question]
        for side, question in asked.items()
    }
    shares = {f"{question}, {side}": share for side in found for question, share in found[side].items()}
    best = {f"best {question}, {side}": places.ceiling(question, side) for side in found for question in found[side]}
    waits = {f"best place, left, waiting {wait}": places.ceiling("place", "left", wait) for wait in range(1, 6)}
    return gaps | shares | best | waits


@recorded(
    "Our guess: an LSTM that reads from the left, and answers five words late, needs no second direction.",
    source="ours",
    rule=All((Reaches("place", at_least=0.99, limits=SHARE), Reaches("column", at_least=0.99, limits=SHARE))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit=SHARES,
)
def late(seed):
    """One LSTM of 37 cells. Five words on, the place is always settled; nothing is hidden from it."""
    return trained("late", seed)


@recorded(
    "With its two sides known, a missing letter costs at least half a bit less than with its left side alone.",
    source="ours",
    rule=More("left side", "both sides", by=0.5),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget="400 steps of 32 x 64 letters, 49,281 and 49,119 weights; each the best of four learning rates after 300 "
    "steps on another seed",
    unit="bits per missing letter, unseen scenes of the plays",
)
def gap(seed):
    """Two LSTMs of 48 cells, one from each end, and one LSTM of 78 from the left."""
    recipes = {"both sides": GapRecipe("both", seed), "left side": GapRecipe("left", seed)}
    return {name: recipe.bits(recipe.train(), "test") for name, recipe in recipes.items()}


@recorded(
    "With as many weights and steps, a 2-D LSTM finds a digit's pixels among pieces of digits better than "
    "bidirectional LSTMs along rows, than such along rows and then columns, and than four convolutions.",
    source="ours",
    rule=All(
        tuple(
            More("2-D LSTM", baseline, by=0.02)
            for baseline in ("along rows", "along rows, then columns", "four convolutions")
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget="300 steps of 16 canvases, 16,411 to 16,763 weights; each the best of four learning rates on another seed",
    unit="F1 of the digit's pixels, 500 canvases of unseen digits",
)
def plane(seed):
    """All of them read and answer blocks of 3 x 3 pixels."""
    kinds = {
        "2-D LSTM": "plane",
        "along rows": "rows",
        "along rows, then columns": "rows_columns",
        "four convolutions": "conv",
    }
    return {name: f1(GridRecipe(kind, seed, **SHORT).train()) for name, kind in kinds.items()}
